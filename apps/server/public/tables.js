import { get } from './api.js';
import { age, foreign, h, json, show } from './dom.js';

const table = (heads, rows) =>
  h(
    'div',
    { class: 'scroll', tabindex: '0' },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          heads.map((head) => h('th', { scope: 'col' }, head)),
        ),
      ),
      h('tbody', {}, rows),
    ),
  );

/** The rules in the order in which they are looked at, and what they make of each tool. */
export const showRules = async (place) => {
  const found = await get('/api/v1/rules');
  if (!found.ok) return show(place, h('p', { class: 'problem' }, found.problem.detail));
  const { rules, tools, digest } = found.value;
  const ruleRows = rules.map((rule) =>
    h(
      'tr',
      {},
      h('td', {}, String(rule.order)),
      h('td', {}, h('code', {}, rule.id)),
      h('td', {}, h('code', {}, rule.tool)),
      h('td', {}, rule.when),
      h('td', { class: rule.effect }, rule.mode === 'shadow' ? `${rule.effect} (recorded only)` : rule.effect),
      h('td', {}, rule.reason),
      h('td', {}, rule.answerBy.length === 0 ? "the agent's principal" : rule.answerBy.join(', ')),
    ),
  );
  const toolRows = tools.map((tool) =>
    h(
      'tr',
      {},
      h('td', {}, h('code', {}, foreign(tool.tool))),
      h('td', {}, tool.state),
      h('td', { class: tool.verdict }, tool.verdict === 'depends' ? 'depends on the arguments' : tool.verdict),
      h('td', {}, tool.rules.join(', ')),
    ),
  );
  return show(
    place,
    h(
      'div',
      { class: 'wide' },
      h('h2', {}, 'Rules'),
      h('p', { class: 'small' }, 'In force: ', h('code', {}, digest)),
      rules.length === 0
        ? h('p', {}, 'No rules. What no term of a mandate covers is still asked.')
        : table(['#', 'Rule', 'Tool', 'When', 'Effect', 'Reason', 'Who answers'], ruleRows),
      h('h2', {}, 'Tools'),
      tools.length === 0 ? h('p', {}, 'No tools yet.') : table(['Tool', 'State', 'Verdict', 'Rules'], toolRows),
    ),
  );
};

const eventRow = (event) =>
  h(
    'tr',
    {},
    h('td', {}, event.seq === null ? '–' : String(event.seq)),
    h('td', {}, age(event.at)),
    h('td', {}, h('code', {}, event.type)),
    h('td', {}, event.actor.kind === 'host' ? 'host' : foreign(event.actor.name)),
    h('td', {}, event.agent ? foreign(event.agent) : ''),
    h('td', {}, event.decision ? h('a', { href: `/decisions/${event.decision}` }, 'decision') : ''),
    h('td', {}, Object.keys(event.payload).length === 0 ? '' : h('details', {}, h('summary', {}, 'payload'), json(event.payload))),
  );

/** What happened, newest first, with a search. */
export const showAudit = async (place, query) => {
  const body = h('tbody');
  const more = h('button', { class: 'more', type: 'button' }, 'Older ones');
  let cursor = null;
  const load = async () => {
    const found = await get('/api/v1/audit', { ...query, limit: 100, cursor: cursor ?? undefined });
    if (!found.ok) return show(place, h('p', { class: 'problem' }, found.problem.detail));
    body.append(...found.value.items.map(eventRow));
    cursor = found.value.nextCursor;
    more.hidden = cursor === null;
    return undefined;
  };
  more.addEventListener('click', load);
  const search = h('input', { type: 'search', id: 'audit-q', name: 'q', value: query.q ?? '' });
  const agent = h('input', { type: 'text', id: 'audit-agent', name: 'agent', value: query.agent ?? '' });
  const form = h(
    'form',
    { class: 'filter', action: '/audit' },
    h('label', { for: 'audit-q' }, 'Search'),
    search,
    h('label', { for: 'audit-agent' }, 'Agent'),
    agent,
    h('button', {}, 'Show'),
  );
  const heads = ['Seq', 'When', 'What', 'Who', 'Agent', 'Record', 'More'];
  show(
    place,
    h(
      'div',
      { class: 'wide' },
      h('h2', {}, 'Audit'),
      form,
      h(
        'div',
        { class: 'scroll', tabindex: '0' },
        h(
          'table',
          {},
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              heads.map((head) => h('th', { scope: 'col' }, head)),
            ),
          ),
          body,
        ),
      ),
      more,
    ),
  );
  await load();
};
