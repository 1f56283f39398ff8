import { visiblePieces } from './visible-text.js';

/** An element; strings among the children become text nodes, so no text is ever read as markup. */
export const h = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
};

/** Somebody else's text, with marks where it would not show. */
export const foreign = (text) =>
  visiblePieces(String(text)).map(({ text: plain, mark }) =>
    plain === undefined ? h('span', { class: 'mark', title: 'a character that would not show' }, mark) : document.createTextNode(plain),
  );

/** The same, set apart from our own words. */
export const chip = (text) => h('span', { class: 'chip' }, foreign(text));

export const json = (value) => h('pre', { class: 'json', tabindex: '0' }, foreign(JSON.stringify(value, null, 2) ?? 'null'));

export const show = (place, ...children) => {
  const element = typeof place === 'string' ? document.getElementById(place) : place;
  element.replaceChildren(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
};

/** Says something to everybody, screen readers included. */
export const say = (text) => {
  document.getElementById('said').textContent = text;
};

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
];

const duration = (seconds) => {
  const at = UNITS.findIndex(([, size]) => seconds >= size);
  if (at < 0) return '0 s';
  const [unit, size] = UNITS[at];
  const rest = UNITS[at + 1];
  const second = rest === undefined || at === 2 ? 0 : Math.floor((seconds % size) / rest[1]);
  return `${Math.floor(seconds / size)} ${unit}${second > 0 ? ` ${second} ${rest[0]}` : ''}`;
};

/** `4 min ago`, `3 h 12 min left`; exact on hover. */
export const age = (iso) => time(iso, () => `${duration(Math.max(0, (Date.now() - Date.parse(iso)) / 1000))} ago`);
export const left = (iso) =>
  time(iso, () => {
    const seconds = (Date.parse(iso) - Date.now()) / 1000;
    return seconds <= 0 ? 'time is up' : `${duration(seconds)} left`;
  });

const time = (iso, words) => {
  const element = h('time', { datetime: iso, title: new Date(iso).toLocaleString() }, words());
  element.refresh = () => {
    element.textContent = words();
  };
  return element;
};

/** Ages move on without a request. */
export const keepTime = () =>
  setInterval(() => {
    for (const element of document.querySelectorAll('time')) element.refresh?.();
  }, 15_000);
