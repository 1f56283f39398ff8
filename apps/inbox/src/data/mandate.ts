import type { Mandate, MandateTerms } from '@countersign/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client.ts';
import { keys } from './keys.ts';

/** The reader's own mandate as it is in force. */
export const myMandate = queryOptions<Mandate>({ queryKey: keys.mandate, queryFn: ({ signal }) => unwrap(client.mandate.get({ signal })) });

/** The part of a mandate that its principal writes. */
export const termsOf = ({ scopes, terms, budget }: MandateTerms): MandateTerms => ({ scopes, terms, ...(budget && { budget }) });
