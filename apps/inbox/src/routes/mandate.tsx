import { useQuery } from '@tanstack/react-query';
import { myMandate } from '../data/mandate.ts';
import { MandateEditor } from '../features/mandate/mandate-editor.tsx';
import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { Loading } from '../ui/notice.tsx';
import { Ago } from '../ui/time.tsx';
import { common } from '../words/common.ts';
import { mandate as words } from '../words/mandate.ts';

/** What agents may do in the reader's name without asking. */
export function MandateRoute() {
  const mandate = useQuery(myMandate);
  if (mandate.isPending) return <Loading label={common.loading} />;
  if (mandate.isError && mandate.data === undefined)
    return <Failure error={mandate.error} what={words.failed} onAgain={() => void mandate.refetch()} />;
  const { version, madeBy, createdAt } = mandate.data;
  return (
    <Page
      title={words.title}
      aside={
        <span className="text-sm text-quiet">
          {words.version(version)}
          {madeBy !== undefined && ` · ${words.madeBy(madeBy)}`}
          {createdAt !== undefined && (
            <>
              {' '}
              · <Ago at={createdAt} suffix={` ${common.ago}`} />
            </>
          )}
        </span>
      }
    >
      <p className="mb-6 max-w-3xl text-quiet">{words.help}</p>
      <MandateEditor mandate={mandate.data} />
    </Page>
  );
}
