import type { Config, Finding, MandateTerms } from '@countersign/contracts';
import { type AgentRecord, findMandate, listAgents, listPrincipals, type Queryable } from '@countersign/store';
import type { Doer } from './actor.ts';
import { digestOf } from './digest.ts';

type File = Pick<Config, 'principals' | 'agents'>;

/**
 * Where the config file says other of principals and agents than the database. The file made them once, so what it says now has no effect:
 * `warning` where somebody may believe that it has, `note` where the database moved on, as it is meant to.
 */
export async function findDrift(db: Queryable, doer: Doer, file: File): Promise<readonly Finding[]> {
  const isTold = (principal: string): boolean => !('caller' in doer) || doer.caller.principal?.name === principal;
  const known = new Set((await listPrincipals(db)).map(({ name }) => name));
  const agents = new Map((await listAgents(db, null)).map((agent) => [agent.name, agent]));
  const findings: Finding[] = [];
  for (const [name, { mandate }] of Object.entries(file.principals)) {
    if (!isTold(name)) continue;
    if (known.has(name)) findings.push(...(await mandateDrift(db, name, mandate)));
    else findings.push(neverMade('principal', name));
  }
  for (const [name, given] of Object.entries(file.agents)) {
    const agent = agents.get(name);
    // One that goes by another principal now is told to whoever it goes by, and to whoever the file gives it to.
    if (!isTold(given.principal) && !(agent && isTold(agent.principal))) continue;
    findings.push(...(agent ? agentDrift(agent, given) : [neverMade('agent', name)]));
  }
  return findings;
}

const neverMade = (kind: 'principal' | 'agent', name: string): Finding => ({
  code: 'config.drift',
  severity: 'warning',
  message: `The file has the ${kind} ${name}, who was never made: the file is read for principals and agents at the first start only.`,
  fix: `Make it (countersign ${kind}s add ${name}), or take it out of the file.`,
});

async function mandateDrift(db: Queryable, name: string, given: MandateTerms): Promise<readonly Finding[]> {
  const inForce = await findMandate(db, name);
  if (inForce && comparable(inForce) === comparable(given)) return [];
  // At its first version the database still holds what the file said then, so it is the file that changed.
  if (!inForce || inForce.version === 1) {
    const message = `The file's mandate of ${name} was edited after the first start, and that edit is not in force.`;
    return [{ code: 'config.drift', severity: 'warning', message, fix: `Put it in force: countersign mandate set FILE --as ${name}` }];
  }
  const message = `The mandate of ${name} in force is version ${inForce.version}, made by ${inForce.madeBy} at ${inForce.createdAt}; the file says other, and does not count.`;
  return [{ code: 'config.drift', severity: 'note', message, fix: `See what is in force: countersign mandate show --as ${name}` }];
}

/** The order of scopes says nothing; that of terms decides which of several covers a call. */
const comparable = ({ scopes, terms, budget }: MandateTerms): string =>
  digestOf(JSON.parse(JSON.stringify({ scopes: [...scopes].sort(), terms, budget: budget ?? null })));

const STANDING = { probation: 'on probation', member: 'a member', suspended: 'suspended' } as const;

function agentDrift(agent: AgentRecord, given: File['agents'][string]): readonly Finding[] {
  const { name, principal, status, description } = agent;
  if (principal !== given.principal) {
    const message = `The file says that ${name} acts for ${given.principal}; it acts for ${principal}, and an agent never changes its principal.`;
    return [{ code: 'config.drift', severity: 'warning', message, fix: 'Correct the file, or make another agent under another name.' }];
  }
  if (status !== given.status) {
    // Nothing leads back to probation, so here the file changed after the agent was made.
    const isEdit = status === 'probation';
    const message = `The file says that ${name} is ${STANDING[given.status]}; it is ${STANDING[status]}, which is what counts.`;
    const fix = isEdit ? `Admit it: countersign agents admit ${name}` : 'Nothing to do, unless you want the file to say so too.';
    return [{ code: 'config.drift', severity: isEdit ? 'warning' : 'note', message, fix }];
  }
  if (description === given.description) return [];
  const message = `The file describes ${name} otherwise than other agents are told; the file's words do not count.`;
  return [{ code: 'config.drift', severity: 'note', message, fix: 'Nothing to do, unless you want the file to say so too.' }];
}
