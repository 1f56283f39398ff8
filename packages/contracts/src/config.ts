import * as z from 'zod';
import { Duration } from './duration.ts';
import { PRINCIPAL_ONLY_SCOPE, Scope } from './lanes.ts';

/** `server__tool`, or a glob over it: `*` stands for any run of characters. */
const ToolPattern = z
  .string()
  .min(1)
  .max(120)
  .regex(/^[A-Za-z0-9_.*-]+$/, 'a tool pattern holds letters, digits, _ - . and *');
const Handle = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'a name is a small letter, then up to 31 small letters, digits or -');
const Cel = z.string().min(1).max(4096);
const Usd = z.number().nonnegative().max(1_000_000);

const RuleFields = {
  tool: ToolPattern,
  when: z.string().min(1).max(500),
  reason: z.string().min(1).max(1000),
  effect: z.enum(['ask', 'refuse']).default('ask'),
  expires: Duration.prefault('24h'),
  answer_by: z.array(Handle).min(1).optional(),
  needs: z.int().min(1).max(20).default(1),
  mode: z.enum(['enforce', 'shadow']).default('enforce'),
  remind_after: Duration.optional(),
  irreversible: z.boolean().default(false),
};

/** One host rule as the config file spells it (DESIGN section 6). */
export const RuleConfig = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'an id is small letters, digits and -'),
  ...RuleFields,
  match: Cel.optional(),
  title: Cel.optional(),
});
export type RuleConfig = z.infer<typeof RuleConfig>;

/** One line of a mandate: which calls a principal allows without being asked. */
export const Term = z.strictObject({
  tool: ToolPattern,
  when: z.string().min(1).max(500),
  match: Cel.optional(),
  expires_at: z.iso.datetime().optional(),
  uses: z.int().positive().optional(),
});
export type Term = z.infer<typeof Term>;

export const Budget = z.strictObject({ usd: Usd, per: z.enum(['day', 'week', 'month']) });
export type Budget = z.infer<typeof Budget>;

/** A principal's terms as they are written and read; the version is kept beside it. */
export const MandateTerms = z.strictObject({
  scopes: z
    .array(Scope)
    .refine(
      (scopes) => !scopes.includes(PRINCIPAL_ONLY_SCOPE),
      'mandate:write is never given to an agent: one that can change its terms does not act under terms. A principal has it without saying so',
    )
    .default([]),
  terms: z.array(Term).max(2000).default([]),
  budget: Budget.optional(),
});
export type MandateTerms = z.infer<typeof MandateTerms>;

const StdioServer = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
  /** In the shared profile each process starts its own child: say that this is sound. */
  stateless: z.boolean().default(false),
  timeout: Duration.prefault('60s'),
  max_result_bytes: z
    .int()
    .positive()
    .default(8 * 1024 * 1024),
});
const HttpServer = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}),
  timeout: Duration.prefault('60s'),
  max_result_bytes: z
    .int()
    .positive()
    .default(8 * 1024 * 1024),
});
/** An upstream MCP server: a child process by `command`, or Streamable HTTP by `url`. */
export const ServerConfig = z.union([StdioServer, HttpServer], {
  error: 'a server has either `command` (with args, env, cwd) or `url` (with headers)',
});
export type ServerConfig = z.infer<typeof ServerConfig>;

/**
 * A place in the arguments: `args.iban`, `args.cards[*].number`, `args["card number"]`. It names a field, which is masked at whatever depth
 * it stands below the ones before it: `args.iban` also means `args.payments[0].iban`.
 */
const RedactPath = z
  .string()
  .max(500)
  .regex(
    /^args(?:\.(?:\*|[\p{L}_$][\p{L}\p{N}_$-]*)|\[(?:\*|\d+|"[^"\]]+"|'[^'\]]+')\])+$/u,
    'a path starts with `args` and names a field, such as args.iban or args.cards[*].number',
  );

/** What the host declares about upstream tools; nothing here is read from the tools themselves. */
export const ToolConfig = z.strictObject({
  idempotent: z.boolean().default(false),
  cost: Cel.optional(),
  /** Values that nobody is shown: the paths of every entry that names the tool count together. The digests still cover them. */
  redact: z.array(RedactPath).default([]),
});
export type ToolConfig = z.infer<typeof ToolConfig>;

const HoldConfig = z.strictObject({
  /** How long a call without a progress token waits before it returns as pending. Some clients give up at 5 s. */
  wait: Duration.prefault('3s'),
  /** The same with a progress token. */
  wait_with_progress: Duration.prefault('45s'),
});

export const Config = z.strictObject({
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(7420),
      public_url: z.url().optional(),
    })
    .prefault({}),
  hold: HoldConfig.prefault({}),
  servers: z
    .record(z.string().regex(/^[a-z0-9-]{1,20}$/, 'a server key is 1 to 20 of a-z, 0-9 and -'), ServerConfig)
    .refine((servers) => !('gateway' in servers), 'the server key `gateway` is reserved')
    .default({}),
  tools: z.record(ToolPattern, ToolConfig).default({}),
  rules: z.array(RuleConfig).max(20_000).default([]),
  principals: z
    .record(Handle, z.strictObject({ name: z.string().min(1).max(120), email: z.email().optional(), mandate: MandateTerms.prefault({}) }))
    .default({}),
  agents: z
    .record(
      Handle,
      z.strictObject({
        principal: Handle,
        status: z.enum(['probation', 'member']).default('probation'),
        description: z.string().max(1000).default(''),
      }),
    )
    .default({}),
  models: z
    .strictObject({
      default: z.string().default('cheapest'),
      allow: z.record(z.string(), z.strictObject({ input: Usd, output: Usd })).default({}),
    })
    .prefault({}),
  sampling: z
    .strictObject({
      max_output_tokens: z.int().positive().default(1024),
      ask_above_usd: Usd.default(0.02),
      refuse_above_usd: Usd.default(1),
    })
    .prefault({}),
  limits: z
    .strictObject({
      /** Open decisions that one agent may have at a time. */
      pending_per_agent: z.int().positive().default(1000),
      /** Runs in a chain, the root included: how far a question may be passed on. */
      chain_depth: z.int().min(1).max(8).default(4),
      /** Consults that one run may have open at a time. */
      consults_per_run: z.int().positive().default(16),
      /** Bytes of one call as it arrives. */
      call_bytes: z
        .int()
        .positive()
        .default(4 * 1024 * 1024),
      /** Requests that one credential may make in a minute. */
      requests_per_minute: z.int().positive().default(6000),
    })
    .prefault({}),
});
/** The whole of countersign.yaml after defaults; durations in milliseconds. */
export type Config = z.infer<typeof Config>;
