import type { Failure } from '@countersign/contracts';
import type { JsonObject } from '@countersign/engine';
import * as z from 'zod';
import { notExecuted } from '../endpoint/agent-result.ts';

/** Any text: an id of another form is unknown, like one that belongs to somebody else. */
export const decisionIdInput = z.string().min(1).max(100).describe('The id of a decision, dec_…');

/** An unknown id and a foreign one answer with the same words, whatever the operation said. */
export function decisionFailure(error: Failure, id: string): JsonObject {
  return notExecuted(error.code === 'not_found' ? { code: 'not_found', message: `there is no decision ${id} of yours.` } : error);
}
