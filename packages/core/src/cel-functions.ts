/**
 * What an expression can call: CEL's own functions, made strict where the engine would turn a doubtful value into a plain "no", and the
 * helpers of this product.
 *
 * F1 Comparing values of different types is an error, not false: `args.mode == "list"` with `["list"]` or null can't be evaluated. Only
 *    the literal null may be compared with anything. Ints and doubles are one type.
 * F2 No function yields NaN or an infinity, text over MAX_STRING or a list over MAX_LIST: that is an error.
 * F3 Every call is charged; an evaluation that does too much is an error.
 * F4 Messages name types and bounds, never values: they reach people and agents.
 */

import {
  type CelFunc,
  type CelList,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  celList,
  celMethod,
  isCelError,
  isCelList,
  isCelMap,
  isCelType,
  isCelUint,
  listType,
  mapType,
} from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { visibleLine } from '@countersign/contracts';
import { emailDomain, host } from './address.ts';
import { CelFailure, charge, MAX_LIST, MAX_STRING } from './cel-values.ts';
import { inside } from './inside.ts';
import { named } from './named.ts';
import { clip } from './untrusted.ts';

const { BOOL, DOUBLE, DYN, INT, STRING, UINT } = CelScalar;
const LIST = listType(DYN);
const MAP = mapType(DYN, DYN);

const engineEquals = celEnv().funcs.find('_==_');

const kindOf = (value: CelValue): string => {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number' || typeof value === 'bigint' || isCelUint(value)) return 'a number';
  if (typeof value === 'boolean') return 'a boolean';
  if (isCelList(value)) return 'a list';
  if (isCelMap(value)) return 'an object';
  return isCelType(value) ? 'a type' : 'a time or bytes';
};

/** Equal, different, or not to be compared (F1). */
function compare(left: CelValue, right: CelValue): boolean | CelFailure {
  if (left === right) return true;
  const kind = kindOf(left);
  if (kind !== kindOf(right)) return new CelFailure(`compares ${kind} with ${kindOf(right)}`);
  if (kind === 'a number') return isSameNumber(numberOf(left), numberOf(right));
  if (isCelList(left) && isCelList(right)) return compareAll(left.size === right.size, left, (place) => right.get(place));
  if (isCelMap(left) && isCelMap(right)) {
    const keys = [...left.keys()];
    return compareAll(
      keys.length === right.size,
      keys.map((key) => left.get(key) ?? null),
      (place) => right.get(keys[place] ?? ''),
    );
  }
  return kind === 'a type' || kind === 'a time or bytes' ? engineEquals?.call(0, undefined, [left, right]) === true : false;
}

const numberOf = (value: CelValue): number | bigint => (isCelUint(value) ? value.value : (value as number | bigint));
/** A bigint and a number compare by value, without rounding either; NaN does not occur (F2). */
const isSameNumber = (left: number | bigint, right: number | bigint): boolean => !(left < right || left > right);

function compareAll(isSameSize: boolean, left: Iterable<CelValue>, rightAt: (place: number) => CelValue | undefined): boolean | CelFailure {
  if (!isSameSize) return false;
  let place = 0;
  for (const value of left) {
    charge(5);
    const other = rightAt(place++);
    const same = other === undefined ? false : compare(value, other);
    if (same !== true) return same;
  }
  return true;
}

const orThrow = (outcome: boolean | CelFailure): boolean => {
  if (outcome instanceof CelFailure) throw outcome;
  return outcome;
};

/** True when an item equals the value; an error when none does and one could not be compared. */
function holds(list: CelList, value: CelValue): boolean {
  let failure: CelFailure | undefined;
  for (const item of list) {
    charge(5);
    const same = compare(value, item);
    if (same === true) return true;
    if (same !== false) failure ??= same;
  }
  return orThrow(failure ?? false);
}

/** `v`, or one of its items where it is a list, is an item of the list. @example any_of(["prod", "live"], args.targets) */
const anyOf = (list: CelList, value: CelValue): boolean =>
  isCelList(value) ? [...value].some((item) => holds(list, item)) : holds(list, value);

function isPresent(object: CelValue, field: string): boolean {
  if (!isCelMap(object)) throw new CelFailure(`asks ${kindOf(object)} for a field`);
  try {
    return object.get(field) !== undefined;
  } catch (error) {
    if (error instanceof CelFailure) return true; // it is there; only reading it would break a bound
    throw error;
  }
}

/** The items behind lists that we joined: `map` and `filter` join once an item, and walking the engine's nested lists is slow. */
const joinedItems = new WeakMap<CelList, readonly CelValue[]>();
const itemsOf = (list: CelList): readonly CelValue[] => joinedItems.get(list) ?? [...list];
function joined(items: readonly CelValue[]): CelList {
  const list = celList(items);
  joinedItems.set(list, items);
  return list;
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const toNumber = (text: string): number => {
  if (text.length > 400 || !DECIMAL.test(text)) throw new CelFailure('is text that is not a number');
  return Number(text);
};
const toInteger = (text: string): bigint => {
  if (!/^[+-]?\d{1,18}$/.test(text)) throw new CelFailure('is text that is not a whole number');
  return BigInt(text);
};

/** A number, or text that is one, as a double. @example money("12.50") > 10 */
const money = (value: CelValue): number => {
  if (typeof value === 'string') return toNumber(value);
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  throw new CelFailure(`reads ${kindOf(value)} as an amount`);
};

const isNamed = (value: CelValue, task: string): boolean => {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
    throw new CelFailure(`looks for ${kindOf(value)} in words`);
  return named(value, task);
};

/** A value inside a title: on one line, short, between marks that it can't write itself, so that it can't pose as the host's words. */
const chip = (value: CelValue): string => {
  if (typeof value === 'object') throw new CelFailure(`puts ${kindOf(value)} into a title`);
  return `‹${visibleLine(clip(String(value), 120)).replaceAll(/[‹›]/g, '·')}›`;
};

/** Searching costs haystack times needle in the worst case (measured: 0.5 s for 64 Ki times 32 Ki), so that is what it is charged. */
const chargeSearch = (text: string, part: string): void => charge((text.length * part.length) / 32);

const mixed = (operator: string, compute: (left: number, right: number) => number): readonly CelFunc[] => [
  celFunc(operator, [INT, DOUBLE], DOUBLE, (left, right) => compute(Number(left), right)),
  celFunc(operator, [DOUBLE, INT], DOUBLE, (left, right) => compute(left, Number(right))),
];

/** Of the engine's text functions, those whose cost is linear in what they read. */
const TEXT_FUNCTIONS = ['charAt', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'join'];

const OURS: readonly CelFunc[] = [
  ...strings.filter((func) => TEXT_FUNCTIONS.includes(func.name)),
  celFunc('_==_', [DYN, DYN], BOOL, (left, right) => orThrow(compare(left, right))),
  celFunc('_!=_', [DYN, DYN], BOOL, (left, right) => !orThrow(compare(left, right))),
  celFunc('@is_null', [DYN], BOOL, (value) => value === null),
  celFunc('@has', [DYN, STRING], BOOL, isPresent),
  celFunc('@chip', [DYN], STRING, chip),
  celFunc('@in', [DYN, LIST], BOOL, (value, list) => holds(list, value)),
  celFunc('@in', [STRING, MAP], BOOL, (key, map) => isPresent(map, key)),
  celFunc('_+_', [LIST, LIST], LIST, (left, right) => {
    charge(left.size + right.size);
    return joined(itemsOf(left).concat(itemsOf(right)));
  }),
  ...mixed('_+_', (left, right) => left + right),
  ...mixed('_-_', (left, right) => left - right),
  ...mixed('_*_', (left, right) => left * right),
  ...mixed('_/_', (left, right) => left / right),
  ...mixed('_%_', (left, right) => left % right),
  celFunc('_%_', [DOUBLE, DOUBLE], DOUBLE, (left, right) => left % right),
  celFunc('double', [STRING], DOUBLE, toNumber),
  celFunc('int', [STRING], INT, toInteger),
  celFunc('uint', [STRING], UINT, () => {
    throw new CelFailure('turns text into an unsigned number');
  }),
  celMethod('contains', STRING, [STRING], BOOL, function (part) {
    chargeSearch(this, part);
    return this.includes(part);
  }),
  celMethod('split', STRING, [STRING], LIST, function (separator) {
    chargeSearch(this, separator);
    return celList(this.split(separator));
  }),
  celFunc('inside', [STRING, STRING], BOOL, inside),
  celFunc('host', [STRING], STRING, host),
  celFunc('email_domain', [STRING], STRING, emailDomain),
  celFunc('money', [DYN], DOUBLE, money),
  celFunc('any_of', [LIST, DYN], BOOL, anyOf),
  celFunc('named', [DYN, STRING], BOOL, isNamed),
];

/** About 0.3 µs: the engine's dispatch of one call. */
const CALL_UNITS = 30;
/** What a character of their texts costs in functions that walk or rewrite them; measured, rounded up. Others take time in no relation to it. */
const CHAR_UNITS: Readonly<Record<string, number>> = {
  size: 2,
  lowerAscii: 2,
  upperAscii: 2,
  trim: 1,
  bytes: 1,
  timestamp: 1,
  duration: 1,
  host: 1,
  email_domain: 1,
  inside: 8,
  named: 4,
};

function checked(outcome: ReturnType<CelFunc['call']>): ReturnType<CelFunc['call']> {
  if (outcome === undefined || isCelError(outcome)) return outcome;
  charge(CALL_UNITS);
  if (typeof outcome === 'number' && !Number.isFinite(outcome)) throw new CelFailure('yields no finite number');
  if (typeof outcome === 'string') charge(outcome.length >> 4);
  if (typeof outcome === 'string' && outcome.length > MAX_STRING)
    throw new CelFailure(`yields a text of more than ${MAX_STRING} characters`);
  if (isCelList(outcome) && outcome.size > MAX_LIST) throw new CelFailure(`yields a list of more than ${MAX_LIST} items`);
  return outcome;
}

const lengthOf = (value: CelValue | undefined): number => (typeof value === 'string' ? value.length : 0);

/** The same function with F2 and F3 seen to. Text is charged after the call: one call on bounded text is short, many are stopped. */
function guarded(func: CelFunc): CelFunc {
  const units = CHAR_UNITS[func.name] ?? 0;
  const call = (id: number, target: CelValue | undefined, args: CelValue[]): ReturnType<CelFunc['call']> => {
    const outcome = func.call(id, target, args);
    if (units > 0 && outcome !== undefined) charge(units * args.reduce((sum: number, arg) => sum + lengthOf(arg), lengthOf(target)));
    return checked(outcome);
  };
  return Object.create(func, { call: { value: call } });
}

/** Every function that an expression can call, `matches` aside, which the engine takes with its pattern cache. */
export const CEL_FUNCTIONS: readonly CelFunc[] = [...celEnv({ funcs: [...OURS] }).funcs].map(guarded);
