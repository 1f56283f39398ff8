import type { Finding } from '@countersign/contracts';
import type { ServedEra } from './era.ts';
import { finding } from './report.ts';
import type { ClockSample } from './wire.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Long enough before the end for somebody to notice over a weekend, and shorter than credentials that are meant for a week. */
const EXPIRY_NEAR_MS = 3 * DAY_MS;
/** Below it, deadlines and expiries still mean what people read. */
const SKEW_MS = 30_000;

/** How far the host's clock is ahead of ours. Its Date is cut to the second, and was taken somewhere between our two readings. */
const skewOf = ({ sentAt, receivedAt, serverAt }: ClockSample): number => serverAt + 500 - (sentAt + receivedAt) / 2;

export function clockFindings(clock: ClockSample | null): readonly Finding[] {
  if (clock === null) return [];
  const skew = skewOf(clock);
  const doubt = (clock.receivedAt - clock.sentAt) / 2;
  if (Math.abs(skew) < SKEW_MS + doubt) return [];
  const apart = `${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? 'ahead of' : 'behind'}`;
  const message = `The host's clock is ${apart} this machine's: deadlines and expiries fall at other times than you read.`;
  return [finding('clock.skewed', 'warning', message, 'Set both by a time server (NTP).')];
}

/** Judged by the host's clock, which is the one that will end it. `now`: ours, in milliseconds since 1970. */
export function expiryFindings({ identity }: ServedEra, clock: ClockSample | null, now: number): readonly Finding[] {
  const expiresAt = identity?.credential?.expiresAt;
  if (!expiresAt) return [];
  const left = Date.parse(expiresAt) - now - (clock ? skewOf(clock) : 0);
  if (left >= EXPIRY_NEAR_MS) return [];
  const time = left < 2 * DAY_MS ? `${Math.max(0, Math.floor(left / HOUR_MS))} h` : `${Math.floor(left / DAY_MS)} d`;
  const message = `This credential is good until ${expiresAt}, ${time} from now; after that every request is refused.`;
  const make = identity.agent ? `agents token ${identity.agent}` : `login ${identity.principal ?? 'NAME'} --token`;
  return [finding('token.expiring', 'warning', message, `Make another before then: countersign ${make}`)];
}
