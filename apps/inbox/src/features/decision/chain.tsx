import type { Decision } from '@countersign/contracts';
import { Link } from 'wouter';
import { Fold, Section } from '../../ui/section.tsx';
import { Visible, VisibleBlock } from '../../ui/visible-text.tsx';
import { decision as words } from '../../words/decision.ts';

/** The people and agents from the principal's own request down to the call, as the server recorded them; each hop's question on demand. */
export function Chain({ decision }: { readonly decision: Decision }) {
  const hops =
    decision.chain.length > 0 ? decision.chain : [{ run: '', agent: decision.agent, principal: decision.principal, question: null }];
  const [first] = hops;
  return (
    <Section title={words.who}>
      <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <span className="font-semibold">
          <Visible text={first?.principal ?? decision.principal} />
        </span>
        {hops.map((hop, place) => (
          <span key={hop.run || place} className="flex items-baseline gap-2" title={words.hopVerified}>
            <span aria-hidden className="text-quiet">
              →
            </span>
            <Link
              href={`/agents/${encodeURIComponent(hop.agent)}`}
              className="text-ink underline decoration-line-strong underline-offset-4"
            >
              <Visible text={hop.agent} />
            </Link>
            {hop.principal !== first?.principal && (
              <span className="text-sm text-quiet">
                (<Visible text={hop.principal} />)
              </span>
            )}
          </span>
        ))}
        <span className="text-sm text-quiet">✓ {words.hopVerified}</span>
      </p>
      {hops.length > 1 && (
        <Fold title={words.chainQuestions} isOpen>
          <ol className="space-y-2">
            {hops.map((hop) => (
              <li key={hop.run}>
                <span className="text-sm text-quiet">
                  <Visible text={hop.agent} />:
                </span>
                {hop.question === null ? (
                  <span className="text-sm text-quiet"> {words.noQuestion}</span>
                ) : (
                  <blockquote className="border-l-2 border-chip-line bg-chip px-3 py-1 font-mono text-sm">
                    <VisibleBlock text={hop.question} />
                  </blockquote>
                )}
              </li>
            ))}
          </ol>
        </Fold>
      )}
    </Section>
  );
}
