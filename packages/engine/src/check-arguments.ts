import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject, PinnedTool } from './upstreams.ts';

const OPTIONS = { strict: false, allErrors: true, validateFormats: false, logger: false } as const;
/** MCP's own dialect, for schemas that name none or a newer one. */
const ajv2020 = new Ajv2020(OPTIONS);
/** Most servers in the field say draft-07, which spells lists of items differently. */
const ajv7 = new Ajv(OPTIONS);
const OLDER = /\/draft-0[3-7]\//;
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
    // Without its dialect, which is chosen here: the URL of one that is not loaded would make the whole schema fail.
    const { $schema: dialect, ...schema } = tool.inputSchema;
    validate = (typeof dialect === 'string' && OLDER.test(dialect) ? ajv7 : ajv2020).compile(schema);
  } catch {
    // An upstream's schema that is itself broken guards nothing; the upstream still checks, and the rules always do.
  }
  compiled.set(tool.digest, validate);
  return validate;
}
