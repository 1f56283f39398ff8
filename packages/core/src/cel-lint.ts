/**
 * What an expression must keep before it is used, and the form in which it is evaluated.
 *
 * L1 It reads only the variables of CEL_VARIABLES and calls only functions that exist, with a number of arguments that they take.
 * L2 It is at most MAX_DEPTH deep, and no list macro stands inside another: with the bound on lists, that bounds the loops.
 * L3 A pattern for `matches` is a literal that compiles.
 * L4 Evaluated from left to right: what `&&` and `||` reach must be readable. CEL would swallow an error beside a false or a true; here it
 *    stays an error, so that a rule that reads a missing field applies and a term that does so does not cover, wherever that field stands.
 */
import type { CelFunc, parse } from '@bufbuild/cel';
import { RE2JS } from 're2js';
import { CEL_FUNCTIONS } from './cel-functions.ts';

export type Expr = NonNullable<ReturnType<typeof parse>['expr']>;
export type CelProblem = { readonly message: string; readonly offset: number };
type CallExpr = Extract<Expr['exprKind'], { case: 'callExpr' }>['value'];

export const CEL_VARIABLES = ['args', 'call', 'agent', 'chain', 'task', 'now'] as const;
const TYPE_NAMES = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type'];
export const MAX_DEPTH = 50;

const OVERLOADS = new Map<string, readonly CelFunc[]>();
for (const func of CEL_FUNCTIONS) OVERLOADS.set(func.name, [...(OVERLOADS.get(func.name) ?? []), func]);

/** Every problem of a parsed expression, with its offset in the source; and the names of the fields that it reads. */
export function lint(
  root: Expr,
  positions: Readonly<Record<string, number>>,
): { problems: readonly CelProblem[]; fields: readonly string[] } {
  const problems: CelProblem[] = [];
  const fields = new Set<string>();
  const visit = (node: Expr, depth: number, macros: number, bound: readonly string[]): void => {
    const message = depth > MAX_DEPTH ? `nested deeper than ${MAX_DEPTH}` : problemOf(node, macros, bound);
    if (message !== undefined) problems.push({ message, offset: positions[node.id.toString()] ?? 0 });
    if (depth > MAX_DEPTH) return;
    const field = fieldOf(node);
    if (field !== undefined) fields.add(field);
    for (const { child, binds = [], inMacro = 0 } of childrenOf(node)) {
      if (child !== undefined) visit(child, depth + 1, macros + inMacro, [...bound, ...binds]);
    }
  };
  visit(root, 1, 0, []);
  return { problems, fields: [...fields] };
}

type Child = { readonly child: Expr | undefined; readonly binds?: readonly string[]; readonly inMacro?: 1 };

function childrenOf({ exprKind: kind }: Expr): readonly Child[] {
  switch (kind.case) {
    case 'selectExpr':
      return [{ child: kind.value.operand }];
    case 'callExpr':
      return [kind.value.target, ...kind.value.args].map((child) => ({ child }));
    case 'listExpr':
      return kind.value.elements.map((child) => ({ child }));
    case 'structExpr':
      return kind.value.entries.flatMap(({ keyKind, value }) => [
        { child: keyKind.case === 'mapKey' ? keyKind.value : undefined },
        { child: value },
      ]);
    case 'comprehensionExpr': {
      const { iterRange, iterVar, accuVar, accuInit, loopCondition, loopStep, result } = kind.value;
      const loop = [loopCondition, loopStep].map((child): Child => ({ child, binds: [iterVar, accuVar], inMacro: 1 }));
      return [{ child: iterRange }, { child: accuInit }, ...loop, { child: result, binds: [accuVar] }];
    }
    default:
      return [];
  }
}

function problemOf({ exprKind: kind }: Expr, macros: number, bound: readonly string[]): string | undefined {
  switch (kind.case) {
    case 'identExpr':
      if (isKnown(kind.value.name, bound)) return undefined;
      return `there is no variable \`${kind.value.name}\`; there are ${CEL_VARIABLES.join(', ')}`;
    case 'callExpr':
      return callProblem(kind.value);
    case 'structExpr':
      if (kind.value.messageName === '') return undefined;
      return `\`${kind.value.messageName}{}\` is not a value here; write a map, {"key": value}`;
    case 'comprehensionExpr':
      if (macros >= 1) return 'a list macro (exists, all, map, filter, exists_one) inside another';
      return isKnown(kind.value.iterVar, bound) ? `the name \`${kind.value.iterVar}\` is taken` : undefined;
    default:
      return undefined;
  }
}

const isKnown = (name: string, bound: readonly string[]): boolean =>
  bound.includes(name) || TYPE_NAMES.includes(name) || CEL_VARIABLES.some((variable) => variable === name);

function callProblem({ function: name, target, args }: CallExpr): string | undefined {
  if (name === 'matches' && target !== undefined && args.length === 1) return patternProblem(args[0]);
  if (!/^[a-z]/i.test(name)) return undefined;
  if (name === 'has') return '`has` takes one field, as in has(args.amount)';
  const isMethod = target !== undefined;
  const overloads = OVERLOADS.get(name)?.filter((func) => (func.target !== undefined) === isMethod) ?? [];
  if (overloads.length === 0) return `there is no ${isMethod ? 'method' : 'function'} \`${name}\``;
  const counts = name === 'named' ? [1] : [...new Set(overloads.map((func) => func.arguments.length))];
  if (counts.includes(args.length)) return undefined;
  return `\`${name}\` takes ${counts.join(' or ')} argument${counts.join() === '1' ? '' : 's'}`;
}

function patternProblem(node: Expr | undefined): string | undefined {
  const pattern = literalText(node);
  if (pattern === undefined) return 'the pattern of `matches` must be a literal text';
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `the pattern of \`matches\` does not compile: ${error instanceof Error ? error.message : 'unknown reason'}`;
  }
}

function fieldOf({ exprKind: kind }: Expr): string | undefined {
  if (kind.case === 'selectExpr') return kind.value.field;
  return kind.case === 'callExpr' && kind.value.function === '_[_]' ? literalText(kind.value.args[1]) : undefined;
}

function literalText(node: Expr | undefined): string | undefined {
  if (node?.exprKind.case !== 'constExpr' || node.exprKind.value.constantKind.case !== 'stringValue') return undefined;
  return node.exprKind.value.constantKind.value;
}
