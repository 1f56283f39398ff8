import type { AuditEvent } from '@countersign/contracts';

/** What tells events of one type apart, the most telling first. */
const TELLING = ['tool', 'name', 'note', 'reason', 'claim', 'code', 'label', 'description', 'kind'];
const MOST = 2;

/** A short text of what was recorded with an event, in somebody else's words; empty where nothing tells it apart. */
export const gistOf = ({ payload }: AuditEvent): string =>
  TELLING.flatMap((name) => {
    const value = payload[name];
    return typeof value === 'string' && value !== '' ? [value] : [];
  })
    .slice(0, MOST)
    .join(' · ');
