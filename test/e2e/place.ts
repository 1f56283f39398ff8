import { join } from 'node:path';

/** The repository. */
export const ROOT = join(import.meta.dirname, '../..');
/** What a person calls `countersign`. */
export const BIN = join(ROOT, 'apps/cli/bin/countersign.js');
