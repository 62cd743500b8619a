import { type Kind, kinds } from './kinds.ts';

/** What came of all cycles of one kind. */
export interface Tally {
  cycles: number;
  asked: number;
  /** Refused at first, to be asked again: no store, no send. */
  refused: number;
  /** Answered before the processes were killed. */
  acknowledged: number;
  /** Of these, found again under their key afterwards. */
  foundAgain: number;
  atVenue: number;
  duplicates: number;
  /** At the venue, and the answer in the end does not name it; or not answered in the end at all. */
  lost: number;
  /** Answers the ledger contradicts. */
  contradictions: number;
  /** Stored answers whose replay was not the same bytes. */
  changed: number;
  /** At the venue without a durable SENDING record that names them. */
  unrecorded: number;
  /** Orders and modifies that grow a position and arrived after the kill switch had answered. */
  grew: number;
  /** Orders that only reduce and did not leave while it was on. */
  keptIn: number;
  /** Orders that arrived after their caller had been told that they were not sent, or that waited too long. */
  late: number;
  /** Gateways that ended though nobody killed them. */
  died: number;
  /** Not known in the end, and not at the venue. */
  unknown: number;
}

export type Tallies = Map<Kind, Tally>;

const columns: readonly [keyof Tally, string][] = [
  ['cycles', 'cycles'],
  ['asked', 'orders'],
  ['atVenue', 'at venue'],
  ['refused', 'refused at first'],
  ['acknowledged', 'answered before'],
  ['foundAgain', 'found again'],
  ['duplicates', 'duplicates'],
  ['lost', 'lost'],
  ['contradictions', 'contradictions'],
  ['changed', 'changed replays'],
  ['unrecorded', 'without a SENDING record'],
  ['grew', 'grew after the switch'],
  ['keptIn', 'exits kept in'],
  ['late', 'left late'],
  ['died', 'died by itself'],
  ['unknown', 'still unknown'],
];

export function newTally(): Tally {
  return {
    cycles: 0,
    asked: 0,
    refused: 0,
    acknowledged: 0,
    foundAgain: 0,
    atVenue: 0,
    duplicates: 0,
    lost: 0,
    contradictions: 0,
    changed: 0,
    unrecorded: 0,
    grew: 0,
    keptIn: 0,
    late: 0,
    died: 0,
    unknown: 0,
  };
}

export function tallyOf(tallies: Tallies, kind: Kind): Tally {
  const tally = tallies.get(kind) ?? newTally();
  tallies.set(kind, tally);
  return tally;
}

export function add(to: Tally, more: Tally): Tally {
  for (const [column] of columns) to[column] += more[column];
  return to;
}

export function total(tallies: Tallies): Tally {
  return [...tallies.values()].reduce(add, newTally());
}

/** What must never happen, and what was answered and not found again. */
export function violations(tally: Tally): number {
  const { duplicates, lost, contradictions, changed, unrecorded, grew, keptIn, late, died, acknowledged, foundAgain } = tally;
  return duplicates + lost + contradictions + changed + unrecorded + grew + keptIn + late + died + (acknowledged - foundAgain);
}

/** A Markdown table, one row a kind and the sum. */
export function table(tallies: Tallies): string {
  const rows = kinds.flatMap((kind): [string, Tally][] => {
    const tally = tallies.get(kind);
    return tally ? [[kind, tally]] : [];
  });
  const head = ['killed, at', ...columns.map(([, name]) => name)];
  const lines = [...rows, ['all', total(tallies)] as const].map(([name, tally]) => [
    name,
    ...columns.map(([column]) => tally[column].toLocaleString('en-US')),
  ]);
  return [head, ['---', ...columns.map(() => '---:')], ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
