import type { Finding, HostFindings } from '@countersign/contracts';
import { cappedFetch } from '../upstream/capped-fetch.ts';
import { endpointOf, exposedFinding, isExposed, type Lookup, systemLookup } from './address.ts';
import { clockFindings, expiryFindings } from './clock-findings.ts';
import { makeContact, notOurs } from './contact.ts';
import { type EraView, type ServedEra, viewEra } from './era.ts';
import { laneFindings } from './lane-findings.ts';
import { missingTools } from './missing.ts';
import { readinessFindings } from './readiness.ts';
import { type DoctorReport, ERAS, type EraReport, finding, worstFirst } from './report.ts';
import { eraFindings, probeFindings, unofferedFindings } from './tool-findings.ts';
import { createWire, said, type Wire } from './wire.ts';

type AskedHost = { readonly ok: true; readonly value: HostFindings } | { readonly ok: false; readonly error: { readonly message: string } };

export type ExamineOptions = {
  /** The credential to look with; without one, the anonymous lane is looked at. */
  readonly token?: string | undefined;
  /** Asks the host what only it can see; absent where nobody who may ask is at hand. Used once the address proved to be a host's. */
  readonly askHost?: ((origin: string) => Promise<AskedHost>) | undefined;
  /** For one request, in milliseconds. */
  readonly timeoutMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly lookup?: Lookup;
};

const TIMEOUT_MS = 10_000;
/** A list of thousands of tools fits; what does not is nobody's list. */
const MAX_BYTES = 64 * 1024 * 1024;
const NO_TOOLS: EraReport['tools'] = { listed: 0, callable: 0, upstream: 0 };

/**
 * Asks an agent endpoint from outside, in both protocol eras, what it serves to the holder of a token and why, and names what is wrong with
 * the address, the credential, the lane, the tools and, where `askHost` may, the host itself. Calls no upstream tool and changes nothing;
 * tries of hidden names stand in the host's record as what they are. Never rejects for what the other side does.
 * @param given the endpoint's URL, or a host's origin
 */
export async function examine(given: string, options: ExamineOptions = {}): Promise<DoctorReport> {
  const { token, timeoutMs = TIMEOUT_MS, now = Date.now, lookup = systemLookup } = options;
  const url = endpointOf(given);
  if (!url) {
    const message = `${said(given)} is no http or https URL.`;
    const fix = 'Give the address that `countersign start` prints, such as http://127.0.0.1:7420/mcp';
    return closed(given, false, [finding('endpoint.unreachable', 'error', message, fix)]);
  }
  const isOpenToAll = await isExposed(url, lookup);
  const exposed = isOpenToAll ? [exposedFinding(url, token !== undefined)] : [];
  if (isOpenToAll && token !== undefined) return closed(url.href, true, exposed);

  const wire = createWire({ token, timeoutMs, now, fetch: cappedFetch(MAX_BYTES) });
  const contact = await makeContact(wire, url, token, timeoutMs);
  if (contact.kind === 'closed') return closed(url.href, contact.isReached, [contact.finding, ...exposed]);
  const inside = await insideFindings(wire, url, options);
  if (contact.kind === 'credential refused') return closed(url.href, true, [contact.finding, ...exposed, ...inside]);

  const views = await viewBoth(wire, url, timeoutMs);
  const common = [...exposed, ...eraFindings(views), ...clockFindings(wire.clock())];
  const view = views.findLast((one): one is ServedEra => one.isServed);
  const lane = view?.lane;
  if (!view || !lane) {
    const noLane = view ? [notOurs(url)] : [];
    return { ...closed(url.href, true, [...noLane, ...common, ...inside]), eras: views.map(eraReport) };
  }

  const missing = missingTools(lane, view);
  const all = [
    ...laneFindings(lane, view, missing, token !== undefined),
    ...views.flatMap((one) => (one.isServed ? probeFindings(one) : [])),
    ...unofferedFindings(lane, view, missing),
    ...expiryFindings(view, wire.clock(), now()),
    ...common,
    ...inside,
  ];
  const { identity, why } = view;
  return {
    url: url.href,
    isReached: true,
    lane,
    why,
    agent: identity?.agent ?? null,
    principal: identity?.principal ?? null,
    expiresAt: identity?.credential?.expiresAt ?? null,
    eras: views.map(eraReport),
    tools: { ...toolCounts(view), missing },
    findings: worstFirst(withoutEmptyList(all)),
  };
}

/** One after the other, and both again where they disagree: something may have changed in between. */
async function viewBoth(wire: Wire, url: URL, timeoutMs: number): Promise<readonly EraView[]> {
  const look = async () => {
    const views: EraView[] = [];
    for (const { era } of ERAS) views.push(await viewEra(wire, url, era, timeoutMs));
    return views;
  };
  const views = await look();
  return eraFindings(views).some(({ code }) => code === 'eras.disagree') ? look() : views;
}

/** What the host says of itself: all of it to whoever may ask, else what it tells anybody, and that there is more. */
async function insideFindings(wire: Wire, url: URL, { askHost }: ExamineOptions): Promise<readonly Finding[]> {
  const asked = await askHost?.(url.origin);
  if (asked?.ok) return asked.value.findings;
  const message = asked
    ? `The host did not say what it finds in itself: ${said(asked.error.message)} Rules nobody can answer, drift and the like were not looked for.`
    : "Not looked for, since only the host can see it: rules that nobody can answer or that never match, people who can't be reached, drift, the unsealed tail.";
  const fix = "With a principal's token in COUNTERSIGN_TOKEN, or on the host's own machine with --data, doctor asks for it.";
  return [...(await readinessFindings(wire, url)), finding('host.not_examined', 'note', message, fix)];
}

/** That no tool is listed needs no explanation where a server is known to be down. */
const withoutEmptyList = (findings: readonly Finding[]): readonly Finding[] =>
  findings.some(({ code }) => code === 'upstream.down') ? findings.filter(({ code }) => code !== 'upstream.no_tools') : findings;

const toolCounts = ({ own, upstream, probes }: ServedEra): EraReport['tools'] => ({
  listed: own.length,
  callable: probes.filter(({ isListed, answer }) => isListed && answer === 'result').length,
  upstream: upstream.length,
});

function eraReport(view: EraView): EraReport {
  const names = ERAS.find(({ era }) => era === view.era) as (typeof ERAS)[number];
  return view.isServed
    ? { ...names, isServed: true, lane: view.lane, tools: toolCounts(view) }
    : { ...names, isServed: false, lane: null, tools: NO_TOOLS };
}

const closed = (url: string, isReached: boolean, findings: readonly Finding[]): DoctorReport => ({
  url,
  isReached,
  lane: null,
  why: null,
  agent: null,
  principal: null,
  expiresAt: null,
  eras: [],
  tools: { ...NO_TOOLS, missing: [] },
  findings: worstFirst(findings),
});
