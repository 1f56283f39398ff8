import { explain, get, loadMe, post, whenLoggedOut } from './api.js';
import { moveInList, showList } from './decision-list.js';
import { showRecord } from './decision-record.js';
import { h, keepTime, say, show } from './dom.js';
import { showAudit, showRules } from './tables.js';

const VIEWS = [
  ['/', 'Inbox'],
  ['/history', 'History'],
  ['/audit', 'Audit'],
  ['/rules', 'Rules'],
];
const WAITING = { state: 'pending', sort: 'age' };
const SETTLED = 'approved,refused,expired,withdrawn';

let me = null;
let count = '';
let events = null;
/** What a person typed into the open record, and which version of it stands on the page. */
const record = {};
const forgetRecord = () =>
  Object.assign(record, { id: null, version: null, text: '', note: '', edited: null, remember: false, problem: '' });
forgetRecord();

const openId = () => /^\/decisions\/([^/]+)$/.exec(location.pathname)?.[1] ?? null;
const query = () => Object.fromEntries(new URLSearchParams(location.search));

const drawTop = () => {
  const here = openId() === null ? location.pathname : '/';
  show(
    'nav',
    VIEWS.map(([path, name]) =>
      h('a', { href: path, 'aria-current': path === here ? 'page' : null }, path === '/' && count !== '' ? `${name} ${count}` : name),
    ),
  );
  document.title = count === '' || count === '0' ? 'Countersign' : `(${count}) Countersign`;
  if (me === null) return show('you');
  return show(
    'you',
    h('span', { title: me.principal.displayName }, me.principal.name),
    me.frozen ? null : h('button', { type: 'button', onclick: freeze }, 'Freeze …'),
    h('button', { type: 'button', onclick: logOut }, 'Log out'),
  );
};

const drawBanner = async () => {
  if (!me?.frozen) return show('banner');
  const host = await get('/api/v1/host');
  const { frozenBy, reason } = host.ok ? host.value : {};
  return show(
    'banner',
    h(
      'p',
      { class: 'frozen' },
      `Frozen${frozenBy ? ` by ${frozenBy}` : ''}${reason ? `: ${reason}` : ''}. Nothing is dispatched, every call is asked, deadlines stand still. `,
      h('button', { type: 'button', onclick: thaw }, 'Thaw'),
    ),
  );
};

const freeze = () => {
  const reason = h('input', { id: 'freeze-reason', required: true, maxlength: '500' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const dialog = h(
    'dialog',
    { onclose: () => dialog.remove() },
    h(
      'form',
      {
        onsubmit: async (event) => {
          event.preventDefault();
          const result = await post('/api/v1/freeze', { reason: reason.value });
          if (!result.ok) problem.textContent = explain(result.problem);
          else dialog.close();
          await refreshMe();
        },
      },
      h('h2', {}, 'Freeze everything'),
      h('p', {}, 'No approved call is dispatched and every call is asked, until somebody thaws it.'),
      h('label', { for: 'freeze-reason' }, 'Why'),
      reason,
      problem,
      h(
        'div',
        { class: 'buttons' },
        h('button', { type: 'button', onclick: () => dialog.close() }, 'Leave it'),
        h('button', { class: 'refuse' }, 'Freeze'),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
};
const thaw = async () => {
  const result = await post('/api/v1/thaw');
  if (!result.ok) say(explain(result.problem));
  await refreshMe();
};
const logOut = async () => {
  await post('/api/v1/logout');
  askToLogIn();
};

const askToLogIn = () => {
  me = null;
  count = '';
  events?.close();
  events = null;
  const token = h('input', { id: 'token', type: 'password', autocomplete: 'off', required: true });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const logIn = async (event) => {
    event.preventDefault();
    const result = await post('/api/v1/login', { token: token.value.trim() });
    if (result.ok) return start();
    problem.textContent = explain(result.problem);
    return undefined;
  };
  drawTop();
  show('banner');
  show(
    'view',
    h(
      'div',
      { class: 'plain' },
      h('h2', {}, 'You are not logged in'),
      h(
        'p',
        {},
        'Whoever runs this host makes a login link for you: ',
        h('code', {}, 'countersign login NAME'),
        '. Or paste a token of yours.',
      ),
      h(
        'form',
        { onsubmit: logIn },
        h('label', { for: 'token' }, 'Token (csp_…)'),
        token,
        h('div', { class: 'buttons' }, h('button', { class: 'primary' }, 'Log in')),
        problem,
      ),
    ),
  );
};

const historyFilter = (fields) => {
  const state = h(
    'select',
    { id: 'h-state', name: 'state' },
    ['', 'approved', 'refused', 'expired', 'withdrawn'].map((value) =>
      h('option', { value, selected: value === (fields.state ?? '') }, value === '' ? 'all' : value),
    ),
  );
  const agent = h('input', { id: 'h-agent', name: 'agent', value: fields.agent ?? '' });
  const words = h('input', { id: 'h-q', name: 'q', type: 'search', value: fields.q ?? '' });
  return h(
    'form',
    { class: 'filter', action: '/history' },
    h('label', { for: 'h-state' }, 'State'),
    state,
    h('label', { for: 'h-agent' }, 'Agent'),
    agent,
    h('label', { for: 'h-q' }, 'Search'),
    words,
    h('button', {}, 'Show'),
  );
};

/** Two panes: the list, and the record that is open. On a narrow page only one of them shows. */
const panes = () => {
  const known = document.getElementById('list');
  if (known !== null) return { list: known, detail: document.getElementById('detail') };
  const [list, detail] = [h('section', { id: 'list', 'aria-label': 'Decisions' }), h('section', { id: 'detail', 'aria-label': 'Record' })];
  show('view', h('div', { class: 'panes', id: 'panes' }, list, detail));
  return { list, detail };
};

const drawInbox = async () => {
  const { list, detail } = panes();
  const id = openId();
  record.wanted = id;
  document.getElementById('panes').classList.toggle('has-open', id !== null);
  const [found] = await Promise.all([
    showList(list, WAITING, { openId: id, isInbox: true }),
    id === null ? drawNothingOpen(detail) : showRecord(detail, id, record),
  ]);
  count = found ?? count;
  drawTop();
};

const drawNothingOpen = (detail) => {
  forgetRecord();
  show(detail, h('p', { class: 'pad small' }, 'Open a decision to see the whole record. j and k move in the list, Enter opens.'));
};

const drawHistory = async () => {
  const fields = query();
  const list = h('div');
  show('view', h('div', { class: 'wide' }, h('h2', {}, 'History'), historyFilter(fields), list));
  await showList(list, { ...fields, state: fields.state || SETTLED }, { openId: null, isInbox: false });
};

const draw = async () => {
  if (me === null) return;
  drawTop();
  if (location.pathname === '/history') await drawHistory();
  else if (location.pathname === '/audit') await showAudit(document.getElementById('view'), query());
  else if (location.pathname === '/rules') await showRules(document.getElementById('view'));
  else await drawInbox();
};

const go = async (url) => {
  const before = openId();
  history.pushState(null, '', url);
  if (before !== openId()) forgetRecord();
  await draw();
  (document.getElementById('record-title') ?? document.getElementById('view')).focus({ preventScroll: false });
};

/** Links and filters of this page move within it; each still has its own address, so reloading and Back work. */
const takeOverLinks = () => {
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="/"]');
    if (link === null || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(link.getAttribute('href'));
  });
  document.addEventListener('submit', (event) => {
    const action = event.target.getAttribute('action');
    if (action === null || event.defaultPrevented) return;
    event.preventDefault();
    const fields = [...new FormData(event.target)].filter(([, value]) => value !== '');
    go(fields.length === 0 ? action : `${action}?${new URLSearchParams(fields)}`);
  });
  addEventListener('popstate', draw);
  document.addEventListener('keydown', moveInList);
};

const refreshMe = async () => {
  const found = await loadMe();
  if (!found.ok) return;
  me = found.value;
  drawTop();
  await drawBanner();
};

let isRedrawDue = false;
/** Many changes at once are one redraw. */
const redrawSoon = () => {
  if (isRedrawDue) return;
  isRedrawDue = true;
  setTimeout(async () => {
    isRedrawDue = false;
    if (me !== null && (openId() !== null || ['/', '/rules'].includes(location.pathname))) await draw();
  }, 100);
};

const listen = () => {
  events = new EventSource('/events');
  for (const type of ['decision', 'call', 'resync', 'rules', 'tool']) events.addEventListener(type, redrawSoon);
  for (const type of ['host', 'resync']) events.addEventListener(type, refreshMe);
  // The browser comes back by itself unless it was refused; then the session is gone.
  events.addEventListener('error', () => {
    if (events?.readyState === EventSource.CLOSED) refreshMe();
  });
};

const offerNext = () => {
  const next = [...document.querySelectorAll('.row')].find((one) => one.getAttribute('data-id') !== openId());
  if (next)
    document
      .querySelector('.answer')
      ?.append(h('p', {}, h('a', { href: next.getAttribute('href') }, 'Next: ', next.querySelector('.row-title').textContent)));
};

const start = async () => {
  const found = await loadMe();
  if (!found.ok && found.problem.code === 'client.unreachable')
    return show('view', h('p', { class: 'problem pad' }, 'The server does not answer. Reload the page to try again.'));
  if (!found.ok) return askToLogIn();
  me = found.value;
  show('view');
  await drawBanner();
  await draw();
  listen();
  return undefined;
};

whenLoggedOut(() => {
  if (me !== null) askToLogIn();
});
document.addEventListener('answered', async () => {
  await draw();
  offerNext();
});
document.addEventListener('reread', redrawSoon);
takeOverLinks();
keepTime();
start();
