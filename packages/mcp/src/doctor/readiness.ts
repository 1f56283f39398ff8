import { type Finding, Readiness } from '@countersign/contracts';
import { finding } from './report.ts';
import { jsonOf, said, type Wire } from './wire.ts';

const UPSTREAM = 'upstream ';

/** What the host says of itself to anybody (`/readyz`). Nothing where that is not to be reached: it may be closed off, which is no fault. */
export async function readinessFindings(wire: Wire, endpoint: URL): Promise<readonly Finding[]> {
  const answer = await wire
    .send(new URL('/readyz', endpoint), { method: 'GET', headers: { accept: 'application/json' } })
    .catch(() => null);
  const readiness = Readiness.safeParse(answer && jsonOf(answer.text));
  if (!readiness.success) return [];
  const failing = readiness.data.checks.filter(({ ok }) => !ok).map(({ name }) => said(name, 60));
  const down = failing.filter((name) => name.startsWith(UPSTREAM)).map((name) => name.slice(UPSTREAM.length));
  const rest = failing.filter((name) => !name.startsWith(UPSTREAM));
  return [
    ...(rest.length === 0
      ? []
      : [
          finding(
            'host.not_ready',
            'error',
            `The host says that it can't work now: ${rest.join(', ')} failed.`,
            "Look into the host's log; it refuses calls until this is mended.",
          ),
        ]),
    ...down.map((server) =>
      finding(
        'upstream.down',
        'error',
        `The upstream server ${server} is not connected: calls of its tools fail.`,
        `Start it, or correct servers.${server} in the config; the host tries again by itself.`,
      ),
    ),
  ];
}
