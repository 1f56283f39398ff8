import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonObject, PinnedTool } from './upstreams.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false });
const compiled = new Map<string, ValidateFunction | null>();
const KEPT = 1000;

/** What of these arguments does not fit the tool's own input schema, in words; null when they fit, or when the schema can't be compiled. */
export function checkArguments(tool: PinnedTool, args: JsonObject): string | null {
  const validate = validatorFor(tool);
  if (!validate || validate(args)) return null;
  return (validate.errors ?? []).map((error) => `${error.instancePath || 'arguments'} ${error.message ?? 'is invalid'}`).join('; ');
}

function validatorFor(tool: PinnedTool): ValidateFunction | null {
  const known = compiled.get(tool.digest);
  if (known !== undefined) return known;
  if (compiled.size >= KEPT) compiled.clear();
  let validate: ValidateFunction | null = null;
  try {
    validate = ajv.compile(tool.inputSchema);
  } catch {
    // An upstream's schema that is itself broken guards nothing; the upstream still checks, and the rules always do.
  }
  compiled.set(tool.digest, validate);
  return validate;
}
