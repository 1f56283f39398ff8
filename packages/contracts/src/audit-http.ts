import * as z from 'zod';
import { AuditEvent, AuditEventType } from './audit.ts';
import { PageQuery, page } from './http.ts';

export const AuditPage = page(AuditEvent);
export type AuditPage = z.infer<typeof AuditPage>;

export const AuditQuery = PageQuery.extend({
  type: z.preprocess((raw) => (typeof raw === 'string' ? raw.split(',') : raw), z.array(AuditEventType)).optional(),
  agent: z.string().optional(),
  principal: z.string().optional(),
  call: z.string().optional(),
  decision: z.string().optional(),
  run: z.string().optional(),
  since: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
  q: z.string().max(200).optional(),
  order: z.enum(['newest', 'oldest']).default('newest'),
});
export type AuditQuery = z.infer<typeof AuditQuery>;
