import type { Id, IdPrefix } from '@countersign/contracts';
import { typeid } from 'typeid-js';

/** A fresh TypeID: time-ordered, so that ordering by id is ordering by age to the millisecond; never relied on as a proof of order. */
export const mintId = <Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix> => typeid(prefix).toString() as Id<Prefix>;
