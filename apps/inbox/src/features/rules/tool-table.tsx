import type { RuleTable as Table, ToolRow } from '@countersign/contracts';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { rules as words } from '../../words/rules.ts';

const GLYPHS: Readonly<Record<ToolRow['verdict'], string>> = { allow: '✓', ask: '?', refuse: '✕', depends: '±' };
const STEP = 200;

/** What the rules alone say of each tool that is known. */
export function ToolTable({ table, find }: { readonly table: Table; readonly find: string }) {
  const [most, setMost] = useState(STEP);
  const found = useMemo(
    () => table.tools.filter(({ tool, rules }) => [tool, ...rules].some((part) => part.toLowerCase().includes(find.trim().toLowerCase()))),
    [table.tools, find],
  );
  if (found.length === 0) return <p className="py-6 text-quiet">{words.noToolMatch}</p>;
  return (
    <>
      <p className="mb-3 max-w-3xl text-sm text-quiet">{words.toolsHelp}</p>
      <table className="w-full border-collapse text-left">
        <thead>
          <tr className="border-b border-line-strong text-sm text-quiet">
            <th scope="col" className="px-2 py-1.5 font-medium">
              {words.columns.tool}
            </th>
            <th scope="col" className="px-2 py-1.5 font-medium">
              {words.toolVerdict}
            </th>
            <th scope="col" className="px-2 py-1.5 font-medium max-sm:hidden">
              {words.toolRules}
            </th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, most).map((row) => (
            <tr key={row.tool} className="border-b border-line align-top hover:bg-sunken" data-tool={row.tool}>
              <td className="px-2 py-2 font-mono text-sm [overflow-wrap:anywhere]">
                <Link href={`/rules?view=try&tool=${encodeURIComponent(row.tool)}`}>{row.tool}</Link>
                {row.state !== 'accepted' && <p className="font-sans text-amber">⚠ {words.state[row.state]}</p>}
              </td>
              <td className="px-2 py-2">
                <span aria-hidden className="inline-block w-5 text-center text-quiet">
                  {GLYPHS[row.verdict]}
                </span>
                {words.verdict[row.verdict]}
              </td>
              <td className="px-2 py-2 text-sm max-sm:hidden">
                {row.rules.map((rule, place) => (
                  <span key={rule}>
                    {place > 0 && ', '}
                    <Link href={`/rules?rule=${encodeURIComponent(rule)}`} className="font-mono">
                      {rule}
                    </Link>
                  </span>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.length > most && (
        <Button className="mt-3" onClick={() => setMost(most + STEP)}>
          {words.more(Math.min(STEP, found.length - most))}
        </Button>
      )}
    </>
  );
}
