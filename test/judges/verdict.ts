import type { BrokerId } from '../../contract/words.ts';

/** What a judge looks at, in the order of the table's columns. */
export const cells = [
  'sign-in',
  'profile',
  'funds',
  'holdings',
  'positions',
  'order book',
  'trade book',
  'margin',
  'LIMIT',
  'MARKET',
  'modify',
  'cancel',
  'order history',
  'price feed',
  'order feed',
] as const;
export type Cell = (typeof cells)[number];

/** What a judge said of its cells: `ok`, `-` where the SDK offers no such call, or what was wrong. */
export type Said = Partial<Record<Cell, string>>;

/** A cell that fails by the SDK's own fault, known by words of its message. */
export interface OwnFault {
  broker: BrokerId;
  cell: Cell;
  says: string;
  reason: string;
}

export type Mark = 'ok' | '-' | 'own fault' | 'FAILED';

export interface Verdict {
  marks: Record<Cell, Mark>;
  /** What nobody expected: a failure, or a known fault that has vanished. */
  surprises: string[];
}

/** Weighs what one broker's judge said against the faults known of its SDK. */
export function weigh(broker: BrokerId, said: Said, known: readonly OwnFault[]): Verdict {
  const surprises: string[] = [];
  const marks = cells.map((cell): [Cell, Mark] => {
    const words = said[cell] ?? 'the judge did not say';
    const fault = known.find((each) => each.broker === broker && each.cell === cell);
    if (fault && words.includes(fault.says)) return [cell, 'own fault'];
    if (fault) surprises.push(`${broker}, ${cell}: the SDK's fault (${fault.says}) is gone: ${words}`);
    if (words === 'ok' || words === '-') return [cell, words];
    surprises.push(`${broker}, ${cell}: ${words}`);
    return [cell, 'FAILED'];
  });
  return { marks: Object.fromEntries(marks) as Verdict['marks'], surprises };
}

/** The table of the run, in Markdown. */
export function table(verdicts: ReadonlyMap<BrokerId, Verdict>): string {
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  const rows = [...verdicts].map(([broker, { marks }]) => line([broker, ...cells.map((cell) => marks[cell])]));
  return [line(['broker', ...cells]), line(['', ...cells].map(() => '---')), ...rows].join('\n');
}
