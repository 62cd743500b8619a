import type { z } from 'zod';
import { HoldingRow, OrderRow, PositionRow, TradeRow } from '../../contract/rows.ts';
import type { Unreadable } from '../brokers/broker.ts';
import { type Finding, failed, notTold, ok, type Said } from './findings.ts';
import { type Latencies, type ReadName, type Round, readNames, timing } from './reads.ts';

const titles: Readonly<Record<ReadName, string>> = {
  profile: 'profile',
  funds: 'funds',
  holdings: 'holdings',
  positions: 'positions',
  orders: 'order book',
  trades: 'trade book',
};

const schemas: Readonly<Partial<Record<ReadName, z.ZodType>>> = {
  holdings: HoldingRow,
  positions: PositionRow,
  orders: OrderRow,
  trades: TradeRow,
};

type Answer = Round[ReadName];

/** One finding a read: every round must have answered, with every row readable. */
export function readFindings(rounds: readonly Round[], latencies: Latencies): Finding[] {
  return readNames.map((name) => {
    const told = rounds.map((round) => judge(name, round[name]));
    const worst = told.find(({ result }) => result === 'failed') ?? told.at(-1) ?? notTold('it was not read');
    const bad = told.filter(({ result }) => result === 'failed').length;
    const times = bad > 0 && bad < told.length ? ` (${bad} of ${told.length} times)` : '';
    const { least, median } = timing(latencies[name]);
    const pace = latencies[name].length === 0 ? '' : `; ${least} ms at least, ${median} ms in the middle`;
    return { name: titles[name], ...worst, says: `${worst.says}${times}${pace}` };
  });
}

function judge(name: ReadName, answer: Answer): Said {
  if (answer === null) return notTold('the adapter has none');
  if (!answer.success) return failed('the read failed', answer.message);
  if (!('normalized' in answer)) return ok('it was read');
  const { normalized, unreadable = [] } = answer;
  if (unreadable.length > 0) return failed(unreadableText(unreadable, normalized.length));
  const schema = schemas[name];
  const wrong = normalized.flatMap((row) => schema?.safeParse(row).error?.issues.map(({ path }) => path.join('.')) ?? []);
  if (wrong.length > 0) return failed(`rows hold what our contract does not allow in ${[...new Set(wrong)].join(', ')}`);
  return normalized.length === 0 ? ok('it was read and is empty') : ok(`${normalized.length} rows, all readable`);
}

function unreadableText(rows: readonly Unreadable[], readable: number): string {
  const reasons = [...new Set(rows.map(reasonText))].join('; ');
  return `${rows.length} of ${rows.length + readable} rows cannot be read: ${reasons}`;
}

/** The broker's name of the member and what is wrong with it. Quoted texts and numbers in it may be the row's own. */
function reasonText({ reason }: Unreadable): string {
  return reason.replaceAll(/"[^"]*"|'[^']*'/g, '"…"').replaceAll(/(?<![\w.])[\d.,]*\d/g, '9');
}
