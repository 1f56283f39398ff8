/** What `${NAME}` may stand for: the process environment and what the host itself sets. */
export type Variables = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Set by the host, and no secret: `COUNTERSIGN_DATA`. These win over the environment. */
  readonly builtIn: Readonly<Record<string, string>>;
};

export type Interpolated = {
  readonly text: string;
  /** Values that came from the environment, for redaction. */
  readonly secrets: readonly string[];
  readonly changed: boolean;
  /** Each with the source text of the reference, so that its column can be found. */
  readonly problems: readonly { readonly reference: string; readonly message: string; readonly fix: string }[];
};

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const NAME_AND_DEFAULT = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^$]*))?$/;

/**
 * Puts variables into one string scalar: `${NAME}`, `${NAME:-default}` (the default also stands in for an empty value), `$${` for a literal `${`.
 * What is put in is never parsed again, neither as YAML nor as another reference.
 */
export const interpolate = (source: string, variables: Variables): Interpolated => {
  const secrets: string[] = [];
  const problems: Interpolated['problems'][number][] = [];
  let changed = false;
  const text = source.replace(REFERENCE, (reference: string, inside?: string, close?: string) => {
    changed = true;
    if (reference === '$${') return '${';
    const [, name, fallback] = close === '' ? [] : (NAME_AND_DEFAULT.exec(inside ?? '') ?? []);
    if (name === undefined) {
      problems.push({
        reference,
        message: `"${reference}" is not a reference`,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a person should write
        fix: 'Write ${NAME} or ${NAME:-default}, or $${ for a plain "${"',
      });
      return reference;
    }
    const builtIn = Object.hasOwn(variables.builtIn, name) ? variables.builtIn[name] : undefined;
    if (builtIn !== undefined) return builtIn;
    const value = Object.hasOwn(variables.env, name) ? variables.env[name] : undefined;
    if (value !== undefined && !(value === '' && fallback !== undefined)) {
      if (value !== '') secrets.push(value);
      return value;
    }
    if (fallback !== undefined) return fallback;
    problems.push({
      reference,
      message: `the environment variable ${name} is not set`,
      fix: `Set ${name}, or write \${${name}:-default}`,
    });
    return '';
  });
  return { text, secrets, changed, problems };
};
