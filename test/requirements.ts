/** Promises of the product to its users, by the ids of the acceptance cases, and where their proof stands: a test that names the id. */

/** What the first issue promises; each is proved against the running product, through the endpoint, the API or the command line. */
export const MAIN_JOB = [
  ...['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8'],
  ...['B1', 'B7'],
  ...['C1', 'C2', 'C3', 'C4', 'C5', 'C7', 'C8'],
  ...['D1', 'D2', 'D3', 'D4', 'D5', 'D6', 'D8', 'D9'],
  ...['E1', 'E2', 'E3', 'E7', 'E8'],
  'G4',
] as const;

/** A test's title that ends in ids: `refuses a second answer (C2)`, `… (A1, A2)`. */
const CITED = /\(((?:[A-G]\d{1,2})(?:, [A-G]\d{1,2})*)\)['"`]\s*,/g;

/** The ids that the titles in a test file name. */
export const citedIn = (source: string): readonly string[] => [...source.matchAll(CITED)].flatMap((match) => (match[1] ?? '').split(', '));
