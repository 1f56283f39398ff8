/** The HTTP API as this page uses it. `packages/client` is the full one; this page is served as it stands, without a build. */
let csrf = null;
let onLoggedOut = () => {};

export const whenLoggedOut = (listener) => {
  onLoggedOut = listener;
};

const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
const UNREACHABLE = {
  code: 'client.unreachable',
  detail: 'The server does not answer. Nothing is known of what you just did: look at the record again.',
};

const attempt = async (method, path, headers, body) => {
  const response = await fetch(path, {
    method,
    headers: { accept: 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const answer = response.status === 204 ? null : await response.json();
  if (response.status === 401 && path !== '/api/v1/login') onLoggedOut();
  return response.ok ? { ok: true, value: answer } : { ok: false, problem: answer };
};

const send = async (method, path, headers, body) => {
  try {
    return await attempt(method, path, headers, body);
  } catch {
    // Once more under the same Idempotency-Key: the first may have arrived.
    return attempt(method, path, headers, body).catch(() => ({ ok: false, problem: UNREACHABLE }));
  }
};

export const get = (path, query = {}) => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '' && value !== null);
  return send('GET', given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`, {});
};

/** `body` is a value, or JSON text that goes out exactly as it was typed. */
export const post = (path, body) => {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  return send(
    'POST',
    path,
    {
      'idempotency-key': newKey(),
      ...(csrf === null ? {} : { 'x-csrf-token': csrf }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    },
    text,
  );
};

export const loadMe = async () => {
  const me = await get('/api/v1/me');
  csrf = me.ok ? me.value.csrf : null;
  return me;
};

/** What went wrong, for a person: who was first, and when, where the server says so. */
export const explain = ({ code, detail, context, requestId }) => {
  const by = typeof context?.by === 'string' ? ` By ${context.by}` : '';
  const at = typeof context?.at === 'string' ? `${by === '' ? ' At' : ','} ${new Date(context.at).toLocaleString()}` : '';
  const issues = Array.isArray(context?.issues) ? ` ${context.issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}` : '';
  return `${detail ?? code}${issues}${by}${at}${by + at === '' ? '' : '.'}${code === 'internal' && requestId ? ` (${requestId})` : ''}`;
};
