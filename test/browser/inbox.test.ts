import { answering } from './answering.ts';
import { describeAtInbox } from './at-inbox.ts';
import { pages } from './pages.ts';
import { records } from './records.ts';
import { surfaces } from './surfaces.ts';
import { views } from './views.ts';

describeAtInbox('the inbox in a browser', (at) => {
  answering(at);
  surfaces(at);
  records(at);
  views(at);
  pages(at);
});
