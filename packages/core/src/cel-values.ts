import { type CelInput, type CelMap, celList, celMap } from '@bufbuild/cel';
import { isJsonObject, type JsonObject } from './call-facts.ts';

/** Characters (UTF-16) of one string, and items of one list, that an expression may read. More is an error, never a shorter value. */
export const MAX_STRING = 65_536;
export const MAX_LIST = 1000;
/** Work that one evaluation may do, in units of roughly ten nanoseconds. */
const MAX_WORK = 2_000_000;

/** An expected end of an evaluation. The message is ours: it never holds text from the arguments. */
export class CelFailure extends Error {}

let work = 0;

/** Begins the account of one evaluation. Evaluations are synchronous and never nest, so one counter serves all. */
export const startWork = (): void => {
  work = 0;
};

/** Adds to the account. @throws CelFailure when the evaluation has done more than it may. */
export function charge(units: number): void {
  work += units;
  if (work > MAX_WORK) throw new CelFailure('takes more work than one evaluation may do');
}

/**
 * A JSON value as CEL reads it. Every JSON number is a CEL double, as in CEL's own JSON mapping, so `5` and `5.0` behave alike; functions
 * accept ints and doubles mixed. Objects are converted where they are read, not before.
 * @throws CelFailure for what is over the bounds or is not JSON
 */
export function toCelInput(value: unknown): CelInput {
  switch (typeof value) {
    case 'string':
      if (value.length > MAX_STRING) throw new CelFailure(`reads a text of more than ${MAX_STRING} characters`);
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new CelFailure('reads a number that is not finite');
      return value;
    case 'boolean':
    case 'bigint':
      return value;
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return toCelList(value);
      if (isJsonObject(value)) return celMap(new JsonMap(value));
  }
  throw new CelFailure('reads a value that is not JSON');
}

function toCelList(items: readonly unknown[]): CelInput {
  if (items.length > MAX_LIST) throw new CelFailure(`reads a list of more than ${MAX_LIST} items`);
  charge(items.length);
  return celList(items.map(toCelInput));
}

/** The root of a binding: an object as a CEL map. */
export const toCelMap = (value: JsonObject): CelMap => celMap(new JsonMap(value));

/** A JSON object behind the map port of the CEL engine. Only own keys exist, so no name reaches a prototype. */
class JsonMap implements ReadonlyMap<string, CelInput> {
  readonly #object: JsonObject;

  constructor(object: JsonObject) {
    this.#object = object;
  }

  get size(): number {
    return this.#keys().length;
  }

  get(key: unknown): CelInput | undefined {
    if (typeof key !== 'string') throw new CelFailure('looks an object up by something that is not text');
    const value = Object.hasOwn(this.#object, key) ? this.#object[key] : undefined;
    return value === undefined ? undefined : toCelInput(value);
  }

  has(key: unknown): boolean {
    return this.get(key) !== undefined;
  }

  keys(): MapIterator<string> {
    return this.#keys().values();
  }

  *entries(): MapIterator<[string, CelInput]> {
    for (const key of this.#keys()) yield [key, toCelInput(this.#object[key])];
  }

  *values(): MapIterator<CelInput> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[string, CelInput]> {
    return this.entries();
  }

  forEach(visit: (value: CelInput, key: string, map: ReadonlyMap<string, CelInput>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }

  #keys(): readonly string[] {
    const keys = Object.keys(this.#object).filter((key) => this.#object[key] !== undefined);
    if (keys.length > MAX_LIST) throw new CelFailure(`reads an object of more than ${MAX_LIST} fields`);
    charge(keys.length);
    return keys;
  }
}
