import type { AddCommand } from '../../cli.ts';
import { addAnswer } from './answer.ts';
import { addList } from './list.ts';
import { addShow } from './show.ts';
import { addWatch } from './watch.ts';
import { addWithdraw } from './withdraw.ts';

/** `decisions [list | show | approve | refuse | withdraw | watch]`. */
export const addDecisions: AddCommand = (program, cli) => {
  const decisions = program.command('decisions').description('what waits for an answer, and answering it');
  for (const add of [addList, addShow, addAnswer, addWithdraw, addWatch]) add(decisions, cli);
};
