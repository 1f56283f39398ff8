import { answerBox } from './answer-box.js';
import { get } from './api.js';
import { age, chip, foreign, h, json, left, show } from './dom.js';

const size = (value) => JSON.stringify(value).length;
const plural = (count, word) => `${count.toLocaleString()} ${word}${count === 1 ? '' : 's'}`;

const ground = (one) =>
  h(
    'li',
    { class: one.effect },
    h('p', {}, foreign(one.reason)),
    h(
      'p',
      { class: 'small' },
      one.kind === 'rule'
        ? ['Rule ', h('code', {}, foreign(one.rule ?? ''))]
        : {
            term: 'No term of the mandate covers it',
            spend: 'Spend',
            tool: 'The tool changed',
            earlier_no: 'An earlier no',
            frozen: 'The host is frozen',
          }[one.kind],
      one.when ? [': ', foreign(one.when)] : null,
      one.mode === 'shadow' ? ' · recorded only' : null,
      one.needs > 1 ? ` · ${one.needs} people must approve` : null,
      one.unevaluable ? [' · ', foreign(one.unevaluable)] : null,
    ),
  );

const chain = (decision) => {
  const [first] = decision.chain;
  const people = first === undefined ? [decision.principal, ...(decision.agent ? [decision.agent] : [])] : null;
  if (people !== null) return h('p', { class: 'chain' }, people.join(' › '));
  return h(
    'div',
    {},
    h(
      'p',
      { class: 'chain' },
      foreign(first.principal),
      decision.chain.map((hop) => [
        ' › ',
        foreign(hop.agent),
        hop.principal === first.principal ? null : [' (for ', foreign(hop.principal), ')'],
      ]),
    ),
    decision.chain
      .filter(({ question }) => question)
      .map((hop) =>
        h('details', {}, h('summary', {}, 'What ', foreign(hop.agent), ' was asked'), h('blockquote', {}, foreign(hop.question))),
      ),
  );
};

const argumentsOf = (decision, onSeen) => {
  const shown = decision.call?.arguments ?? decision.request ?? {};
  const long = Object.entries(shown).filter(([, value]) => size(value) > 2000);
  const end = h('span', { class: 'end' }, 'end of the arguments');
  new IntersectionObserver((entries, observer) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    onSeen();
  }).observe(end);
  return h(
    'section',
    {},
    h('h3', {}, decision.call ? ['Arguments of ', chip(decision.call.tool)] : 'What is asked for'),
    h(
      'p',
      { class: 'small' },
      `${plural(Object.keys(shown).length, 'argument')}, ${plural(size(shown), 'character')}`,
      long.map(([key, value]) => [' · ', chip(key), ` is long: ${plural(size(value), 'character')}`]),
    ),
    json(shown),
    end,
    decision.call?.effectiveArguments ? [h('h3', {}, 'What runs, as edited'), json(decision.call.effectiveArguments)] : null,
  );
};

const context = ({ context: { seen, claimed }, agent }) => {
  const saw = Object.keys(seen).length > 0;
  if (!saw && claimed === null) return null;
  return h(
    'section',
    {},
    h('h3', {}, 'What led to it'),
    saw ? h('details', { open: size(seen) < 3000 }, h('summary', {}, 'What the server saw'), json(seen)) : null,
    claimed === null
      ? null
      : h(
          'div',
          { class: 'claim' },
          h('p', { class: 'small' }, 'What ', foreign(agent), ' says of itself. Nobody checked it.'),
          h('blockquote', {}, foreign(claimed)),
        ),
  );
};

const evidence = ({ evidence: filed }) =>
  filed.length === 0
    ? null
    : h(
        'section',
        {},
        h('h3', {}, 'Evidence that agents filed'),
        h('p', { class: 'small' }, 'Their words; the references are for you to look at.'),
        h(
          'ul',
          {},
          filed.map(({ claim, source, reference, at }) =>
            h(
              'li',
              {},
              foreign(claim),
              h(
                'p',
                { class: 'small' },
                `${source} · `,
                reference ? h('code', {}, foreign(reference)) : 'without a reference',
                ' · ',
                age(at),
              ),
            ),
          ),
        ),
      );

const OUTCOME_WORDS = { done: 'Done', failed: 'Failed', unknown: 'Sent, and nobody knows whether it took effect', not_run: 'Not run' };

const timeline = (decision) =>
  h(
    'section',
    {},
    h('h3', {}, 'What happened'),
    h(
      'ol',
      { class: 'timeline' },
      h('li', {}, 'Asked by ', foreign(decision.agent), ' · ', age(decision.createdAt)),
      decision.answers.map((answer) =>
        h(
          'li',
          {},
          `${answer.effect === 'approve' ? 'Approved' : 'Refused'} by `,
          foreign(answer.principal),
          ' · ',
          age(answer.at),
          answer.note ? h('blockquote', {}, foreign(answer.note)) : null,
          answer.editedArgs ? json(answer.editedArgs) : null,
        ),
      ),
      decision.settledReason
        ? h('li', {}, `${decision.state === 'expired' ? 'Expired' : 'Settled'}: `, foreign(decision.settledReason))
        : null,
      decision.state === 'pending'
        ? h('li', {}, 'Waits for ', foreign(decision.answerBy.join(', ')), ' · ', left(decision.expiresAt))
        : null,
      decision.outcome
        ? h(
            'li',
            { class: decision.outcome.state },
            OUTCOME_WORDS[decision.outcome.state],
            ' · ',
            age(decision.outcome.at),
            decision.outcome.reason ? h('p', {}, foreign(decision.outcome.reason)) : null,
            decision.outcome.result ? h('details', {}, h('summary', {}, 'What the tool returned'), json(decision.outcome.result)) : null,
          )
        : null,
    ),
  );

const LINKS = [
  ['supersedes', 'It takes the place of an earlier question'],
  ['supersededBy', 'A later question took its place'],
  ['afterRefusalOf', 'You refused the like before'],
];
const links = (decision) =>
  LINKS.filter(([field]) => decision[field] !== null).map(([field, words]) =>
    h('p', {}, h('a', { href: `/decisions/${decision[field]}` }, words)),
  );

/** The whole record of one decision. What stands in `state` outlives a redraw, so that an event never takes a person's words. */
export const showRecord = async (place, id, state) => {
  const found = await get(`/api/v1/decisions/${encodeURIComponent(id)}`);
  if (!found.ok) {
    show(
      place,
      h('p', { class: 'problem' }, found.problem.detail ?? 'This decision cannot be read.'),
      h('p', { class: 'pad' }, h('a', { href: '/' }, 'Back to the inbox')),
    );
    return null;
  }
  const decision = found.value;
  const text = JSON.stringify(decision);
  if (state.id === id && state.text === text) return decision;
  const changed = state.id === id && state.version !== decision.version;
  Object.assign(state, { id, text, version: decision.version });
  const box = answerBox(decision, state, changed);
  show(
    place,
    h(
      'article',
      { class: `record${decision.irreversible ? ' irreversible' : ''}` },
      h('p', { class: 'back' }, h('a', { href: '/' }, '‹ Inbox')),
      h('h2', { tabindex: '-1', id: 'record-title' }, foreign(decision.title)),
      h(
        'p',
        { class: 'small' },
        h('code', {}, decision.id),
        ' · ',
        h('span', { class: `state ${decision.state}` }, decision.state),
        decision.state === 'pending' ? [' · ', left(decision.expiresAt)] : null,
      ),
      decision.irreversible ? h('p', { class: 'warning' }, 'This cannot be undone. Approving it needs a note.') : null,
      h('section', {}, h('h3', {}, 'Why you are asked'), h('ul', { class: 'grounds' }, decision.grounds.map(ground))),
      h('section', {}, h('h3', {}, 'Who wants it'), chain(decision)),
      links(decision),
      argumentsOf(decision, box.seen),
      context(decision),
      evidence(decision),
      timeline(decision),
      box.element,
    ),
  );
  return decision;
};
