import type { Expr } from './cel-lint.ts';

type CallExpr = Extract<Expr['exprKind'], { case: 'callExpr' }>['value'];

/**
 * The form in which a linted expression is evaluated (L4 of cel-lint.ts, F1 of cel-functions.ts), as a new tree with the same ids:
 * `a && b` → `a ? b : false` and `a || b` → `a ? true : b`; `has(o.f)` → a presence test for which null is present and a non-object is an
 * error; `x == null` → a null test; `now` → the timestamp behind the text; `named(v)` → the same over the run's task.
 */
export function strictForm(node: Expr): Expr {
  const kind = node.exprKind;
  switch (kind.case) {
    case 'identExpr':
      return kind.value.name === 'now' ? callOf(node, 'timestamp', [node]) : node;
    case 'selectExpr': {
      const { operand, field, testOnly } = kind.value;
      const inner = operand === undefined ? undefined : strictForm(operand);
      if (testOnly && inner !== undefined) return callOf(node, '@has', [inner, constant(node, { case: 'stringValue', value: field })]);
      return { ...node, exprKind: { case: 'selectExpr', value: { ...kind.value, ...(inner === undefined ? {} : { operand: inner }) } } };
    }
    case 'callExpr':
      return strictCall(node, kind.value);
    case 'listExpr':
      return { ...node, exprKind: { case: 'listExpr', value: { ...kind.value, elements: kind.value.elements.map(strictForm) } } };
    case 'structExpr': {
      const entries = kind.value.entries.map((entry) => ({
        ...entry,
        ...(entry.keyKind.case === 'mapKey' ? { keyKind: { case: 'mapKey' as const, value: strictForm(entry.keyKind.value) } } : {}),
        ...(entry.value === undefined ? {} : { value: strictForm(entry.value) }),
      }));
      return { ...node, exprKind: { case: 'structExpr', value: { ...kind.value, entries } } };
    }
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value;
      const parts = Object.entries({ iterRange, accuInit, loopCondition, loopStep, result });
      const strict = Object.fromEntries(parts.map(([name, part]) => [name, part === undefined ? part : strictForm(part)]));
      return { ...node, exprKind: { case: 'comprehensionExpr', value: { ...kind.value, ...strict } } };
    }
    default:
      return node;
  }
}

function strictCall(node: Expr, call: CallExpr): Expr {
  const args = call.args.map(strictForm);
  const [left, right] = args;
  if (call.target === undefined && left !== undefined && right !== undefined && args.length === 2) {
    if (call.function === '_&&_') return callOf(node, '_?_:_', [left, right, constant(node, { case: 'boolValue', value: false })]);
    if (call.function === '_||_') return callOf(node, '_?_:_', [left, constant(node, { case: 'boolValue', value: true }), right]);
    if (call.function === '_==_' || call.function === '_!=_') {
      const other = isNull(left) ? right : isNull(right) ? left : undefined;
      const test = other === undefined ? undefined : callOf(node, '@is_null', [other]);
      if (test !== undefined) return call.function === '_==_' ? test : callOf(node, '!_', [test]);
    }
  }
  if (call.function === 'named' && left !== undefined) return callOf(node, 'named', [left, identifier(node, 'task')]);
  const target = call.target === undefined ? {} : { target: strictForm(call.target) };
  return { ...node, exprKind: { case: 'callExpr', value: { ...call, ...target, args } } };
}

/**
 * A title with every value in marks: what stands in the host's literal text stays as it is, everything else becomes `‹value›`.
 * Applied before `strictForm`.
 */
export function titleForm(node: Expr): Expr {
  const kind = node.exprKind;
  if (kind.case === 'constExpr' && kind.value.constantKind.case === 'stringValue') return node;
  if (kind.case === 'callExpr' && kind.value.target === undefined) {
    const { function: name, args } = kind.value;
    const [first, ...rest] = args;
    if (name === '_+_') return callOf(node, name, args.map(titleForm));
    if (name === '_?_:_' && first !== undefined) return callOf(node, name, [first, ...rest.map(titleForm)]);
  }
  return callOf(node, '@chip', [node]);
}

const callOf = (at: Expr, name: string, args: Expr[]): Expr => ({
  $typeName: 'cel.expr.Expr',
  id: at.id,
  exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } },
});

const identifier = (at: Expr, name: string): Expr => ({
  $typeName: 'cel.expr.Expr',
  id: at.id,
  exprKind: { case: 'identExpr', value: { $typeName: 'cel.expr.Expr.Ident', name } },
});

const constant = (
  at: Expr,
  constantKind: { readonly case: 'boolValue'; readonly value: boolean } | { readonly case: 'stringValue'; readonly value: string },
): Expr => ({
  $typeName: 'cel.expr.Expr',
  id: at.id,
  exprKind: { case: 'constExpr', value: { $typeName: 'cel.expr.Constant', constantKind } },
});

const isNull = (node: Expr): boolean => node.exprKind.case === 'constExpr' && node.exprKind.value.constantKind.case === 'nullValue';
