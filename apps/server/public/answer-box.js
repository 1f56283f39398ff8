import { explain, post } from './api.js';
import { chip, foreign, h, say } from './dom.js';
import { editableJson } from './visible-text.js';

/** After a redraw nothing can be pressed for this long: a click that was meant for what stood there before must not answer what stands there now. */
const SETTLE_MS = 400;
const DAY_MS = 86_400_000;

const REMEMBER_DAYS = 30;

const bodyOf = (decision, effect, { note, edited, remember }) => {
  const fields = {
    version: decision.version,
    shownDigest: decision.shownDigest,
    effect,
    ...(note.trim() === '' ? {} : { note }),
    ...(effect === 'approve' && remember ? { remember: { ttl_days: REMEMBER_DAYS } } : {}),
  };
  const text = JSON.stringify(fields);
  // The edited text goes out as it was typed: reading it here could round a number.
  return effect === 'approve' && edited !== null ? `${text.slice(0, -1)},"editedArgs":${edited}}` : text;
};

const faultOf = (text) => {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'The arguments are an object: { … }.';
  } catch (error) {
    return `This is not JSON yet: ${error.message}`;
  }
};

const editor = (decision, state, onChange) => {
  const original = editableJson(decision.call.arguments);
  const area = h('textarea', { id: 'edited', rows: '8', spellcheck: 'false', class: 'mono' });
  area.value = state.edited ?? original;
  const fault = h('p', { class: 'problem', role: 'status' });
  area.addEventListener('input', () => {
    state.edited = area.value === original ? null : area.value;
    fault.textContent = state.edited === null ? '' : (faultOf(area.value) ?? '');
    onChange(fault.textContent === '');
  });
  return h(
    'details',
    { open: state.edited !== null },
    h('summary', {}, 'Edit the arguments'),
    h('label', { for: 'edited', class: 'small' }, 'Approving runs what stands here, and it is judged anew first.'),
    area,
    fault,
  );
};

/** Approving may add one term to the principal's own mandate; it says exactly which. */
const rememberBox = ({ rememberTerm: term }, state) => {
  if (term === null) return null;
  const box = h('input', { type: 'checkbox', id: 'remember', onchange: () => (state.remember = box.checked) });
  box.checked = state.remember;
  return h(
    'p',
    { class: 'remember' },
    box,
    h(
      'label',
      { for: 'remember' },
      `If it succeeds, do not ask again for ${REMEMBER_DAYS} days: `,
      chip(term.tool),
      ' when ',
      foreign(term.when),
      term.match ? [' (', h('code', {}, foreign(term.match)), ')'] : null,
    ),
  );
};

/** The place to answer. `seen` is called once the end of the arguments was on the screen; before that, Approve waits. */
export const answerBox = (decision, state, changed) => {
  const problem = h('p', { class: 'problem', role: 'alert' }, state.problem);
  if (!decision.allowed.includes('approve') && !decision.allowed.includes('refuse'))
    return { element: h('div', { class: 'answer closed' }, problem), seen: () => {} };
  const hint = h('p', { class: 'small', id: 'approve-hint' });
  const note = h('textarea', { id: 'note', rows: '2', maxlength: '4000' });
  note.value = state.note;
  note.addEventListener('input', () => {
    state.note = note.value;
    update();
  });
  let [isSeen, isSettled, isSound, isSending] = [false, false, true, false];

  const refuse = h('button', { type: 'button', class: 'refuse', onclick: () => answer('refuse') }, 'Refuse');
  const approve = h(
    'button',
    { type: 'button', class: 'approve', 'aria-describedby': 'approve-hint', onclick: () => answer('approve') },
    'Approve',
  );
  const extend = h('button', { type: 'button', onclick: () => moveDeadline() }, 'One more day');

  const waiting = () => {
    if (!isSeen) return 'Approve waits until the end of the arguments was on your screen.';
    if (!isSound) return 'The edited arguments are not JSON yet.';
    if (decision.irreversible && state.note.trim() === '') return 'This cannot be undone: write a note before you approve.';
    return '';
  };
  const update = () => {
    const reason = waiting();
    hint.textContent = reason;
    refuse.disabled = isSending || !isSettled;
    approve.disabled = isSending || !isSettled || reason !== '';
    approve.textContent = state.edited === null ? 'Approve' : 'Approve as edited';
  };
  const send = async (path, body, done) => {
    isSending = true;
    state.problem = '';
    problem.textContent = '';
    update();
    const result = await post(path, body);
    isSending = false;
    update();
    if (!result.ok) {
      state.problem = explain(result.problem);
      problem.textContent = state.problem;
      document.dispatchEvent(new CustomEvent('reread', { detail: decision.id }));
      return;
    }
    done();
  };
  const answer = (effect) =>
    send(`/api/v1/decisions/${decision.id}/answer`, bodyOf(decision, effect, state), () => {
      state.note = '';
      state.edited = null;
      state.remember = false;
      say(effect === 'approve' ? 'Approved.' : 'Refused. Nothing was executed.');
      document.dispatchEvent(new CustomEvent('answered', { detail: decision.id }));
    });
  const moveDeadline = () => {
    const expiresAt = new Date(Date.parse(decision.expiresAt) + DAY_MS).toISOString();
    return send(`/api/v1/decisions/${decision.id}/extend`, { version: decision.version, expiresAt }, () => {
      say('The deadline moved by one day.');
      document.dispatchEvent(new CustomEvent('reread', { detail: decision.id }));
    });
  };

  setTimeout(() => {
    isSettled = true;
    update();
  }, SETTLE_MS);
  update();
  const element = h(
    'section',
    { class: 'answer', 'aria-label': 'Your answer' },
    changed ? h('p', { class: 'notice' }, 'This record changed while you read it. Look again before you answer.') : null,
    decision.call
      ? editor(decision, state, (sound) => {
          isSound = sound;
          update();
        })
      : null,
    h('label', { for: 'note' }, decision.irreversible ? 'Note (needed to approve; the agent reads it)' : 'Note (the agent reads it)'),
    note,
    rememberBox(decision, state),
    h(
      'div',
      { class: 'buttons' },
      decision.allowed.includes('refuse') ? refuse : null,
      decision.allowed.includes('approve') ? approve : null,
      decision.allowed.includes('extend') ? extend : null,
    ),
    hint,
    problem,
  );
  return {
    element,
    seen: () => {
      isSeen = true;
      update();
    },
  };
};
