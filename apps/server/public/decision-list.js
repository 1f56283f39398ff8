import { get } from './api.js';
import { age, chip, foreign, h, left, show } from './dom.js';

const telling = (decision) =>
  Object.entries(decision.call?.arguments ?? {})
    .filter(([, value]) => typeof value !== 'object')
    .slice(0, 3);

const SHORT = 60;
/** A list is for finding; the record shows every value whole. What is left out here is counted. */
const short = (value) => {
  const text = String(value);
  const first = text.slice(0, SHORT).split('\n', 1)[0];
  return first.length === text.length
    ? chip(text)
    : [chip(first), h('span', { class: 'small' }, ` … ${text.length.toLocaleString()} characters`)];
};

const STATE_WORDS = { pending: 'waits for you', approved: 'approved', refused: 'refused', expired: 'expired', withdrawn: 'withdrawn' };

const isNear = (decision) => decision.state === 'pending' && Date.parse(decision.expiresAt) - Date.now() < 1_800_000;

/** One decision in a list: what, why, who, how old, how long left. */
export const row = (decision, isOpen) =>
  h(
    'li',
    {},
    h(
      'a',
      {
        class: `row${decision.irreversible ? ' irreversible' : ''}`,
        href: `/decisions/${decision.id}`,
        'data-id': decision.id,
        'aria-current': isOpen ? 'true' : null,
      },
      h('span', { class: 'row-title' }, foreign(decision.title)),
      h(
        'span',
        { class: 'row-args' },
        telling(decision).map(([, value]) => [short(value), ' ']),
      ),
      h('span', { class: 'row-why' }, foreign(decision.grounds[0]?.reason ?? '')),
      h(
        'span',
        { class: 'row-meta' },
        h('span', { class: `state ${decision.state}` }, STATE_WORDS[decision.state]),
        ' · ',
        foreign(decision.agent),
        ` for ${decision.principal} · `,
        age(decision.createdAt),
        decision.state === 'pending' ? [' · ', h('span', { class: isNear(decision) ? 'near' : '' }, left(decision.expiresAt))] : null,
        decision.irreversible ? ' · cannot be undone' : null,
      ),
    ),
  );

const emptyInbox = () => {
  const address = `${location.origin}/mcp`;
  return h(
    'div',
    { class: 'empty' },
    h('h2', {}, 'Nothing waits for you'),
    h(
      'p',
      {},
      'When one of your agents calls a tool that a rule or your mandate does not simply allow, the question stands here. Silence is never consent.',
    ),
    h('p', {}, 'An agent connects to'),
    h('pre', { class: 'json' }, address),
    h('p', {}, 'for example with'),
    h(
      'pre',
      { class: 'json' },
      JSON.stringify({ mcpServers: { countersign: { type: 'http', url: address, headers: { Authorization: 'Bearer csa_…' } } } }, null, 2),
    ),
  );
};

const PAGE = 50;

/** A list that can be extended page by page; `query` is what is asked for. Returns the number on the first page, or null when it could not be read. */
export const showList = async (place, query, { openId, isInbox }) => {
  const first = await get('/api/v1/decisions', { ...query, limit: PAGE });
  if (!first.ok) {
    show(place, h('p', { class: 'problem' }, first.problem.detail ?? 'The list cannot be read.'));
    return null;
  }
  const list = h('ul', { class: 'rows' });
  const more = h('button', { class: 'more', type: 'button' }, 'Older ones');
  let cursor = null;
  const add = (page) => {
    list.append(...page.items.map((decision) => row(decision, decision.id === openId)));
    cursor = page.nextCursor;
    more.hidden = cursor === null;
  };
  more.addEventListener('click', async () => {
    const next = await get('/api/v1/decisions', { ...query, limit: PAGE, cursor });
    if (next.ok) add(next.value);
  });
  add(first.value);
  const focused = document.activeElement?.closest?.('[data-id]')?.getAttribute('data-id');
  const { items, nextCursor } = first.value;
  show(place, items.length === 0 ? (isInbox ? emptyInbox() : h('p', { class: 'pad' }, 'Nothing matches.')) : [list, more]);
  // The list was drawn anew under a person's hands: leave them where they were.
  if (focused) list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  return nextCursor === null ? String(items.length) : `${items.length}+`;
};

/** j and k move between rows, as the arrow keys do. */
export const moveInList = (event) => {
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  if (
    step === undefined ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.target.closest('input, textarea, select, pre, [contenteditable]')
  )
    return;
  const rows = [...document.querySelectorAll('.row')];
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement);
  const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))];
  next.focus();
  event.preventDefault();
};
