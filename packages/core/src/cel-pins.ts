/** What an expression demands of single arguments, found without running it. */
import type { Expr } from './cel-lint.ts';

/** `args.key == value`, without which the expression can't say yes. */
export type Pin = { readonly key: string; readonly value: string | number | boolean | null };

/**
 * The comparisons that stand in a top-level conjunction: where one of them is false the whole is false, whatever the rest does. There may be
 * more than are found.
 */
export function pinsOf({ exprKind }: Expr): readonly Pin[] {
  if (exprKind.case !== 'callExpr') return [];
  const { function: name, args } = exprKind.value;
  if (name === '_&&_') return args.flatMap(pinsOf);
  const [left, right] = args;
  if (name !== '_==_' || left === undefined || right === undefined) return [];
  const key = argumentOf(left) ?? argumentOf(right);
  const value = literalOf(argumentOf(left) === undefined ? left : right);
  return key === undefined || value === undefined ? [] : [{ key, value }];
}

/** `args.key` or `args["key"]`. */
function argumentOf({ exprKind }: Expr): string | undefined {
  if (exprKind.case === 'selectExpr') {
    const { operand, field, testOnly } = exprKind.value;
    return !testOnly && isArgs(operand) ? field : undefined;
  }
  if (exprKind.case !== 'callExpr' || exprKind.value.function !== '_[_]') return undefined;
  const [list, index] = exprKind.value.args;
  const key = index === undefined ? undefined : literalOf(index);
  return isArgs(list) && typeof key === 'string' ? key : undefined;
}

const isArgs = (expr: Expr | undefined): boolean => expr?.exprKind.case === 'identExpr' && expr.exprKind.value.name === 'args';

/** A literal as JSON has it: a whole number that no double holds becomes its neighbour, so that a pin never excludes too much. */
function literalOf({ exprKind }: Expr): Pin['value'] | undefined {
  if (exprKind.case !== 'constExpr') return undefined;
  const { case: kind, value } = exprKind.value.constantKind;
  switch (kind) {
    case 'int64Value':
    case 'uint64Value':
      return Number(value);
    case 'doubleValue':
    case 'stringValue':
    case 'boolValue':
      return value;
    case 'nullValue':
      return null;
    default:
      return undefined;
  }
}
