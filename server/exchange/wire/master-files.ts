import { tradingDay } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import type { Listed } from '../types.ts';
import type { Route } from './emulator.ts';
import type { LongReply } from './message.ts';
import { keptPieces } from './pieces.ts';

/** One file of a broker's instrument master. */
export interface MasterFile {
  path: string;
  type: 'text/csv' | 'application/json';
  /** Its text by lines with their ends, on a day (YYYY-MM-DD, India). */
  lines(listed: Iterable<Listed>, day: string): Iterable<string>;
}

/** The routes of a broker's instrument files: open, made once a day and kept, outside the limits of its API, which other hosts serve. */
export function masterRoutes({ clock, listed }: Exchange, files: readonly MasterFile[]): Route[] {
  return files.map(({ path, type, lines }) => {
    let kept: { day: string; pieces: Iterable<Buffer> } | null = null;

    function handle(): LongReply {
      const day = tradingDay(clock.now());
      if (kept?.day !== day) kept = { day, pieces: keptPieces(lines(listed, day)) };
      return { status: 200, headers: { 'Content-Type': type }, pieces: kept.pieces };
    }
    return { method: 'GET', path, operation: 'market', limit: 'instruments', open: true, handle };
  });
}

/** The text of a CSV: a header, then the cells each row gives; a row without cells is left out, as an empty text. */
export function* csvLines(header: string, rows: Iterable<readonly Cell[] | null>): Generator<string> {
  yield `${header}\n`;
  for (const cells of rows) yield cells ? csvLine(cells) : '';
}

export type Cell = string | number | null;

/** Cells between commas; null is an empty one, and what has a comma or a quote in it stands in quotes. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map((cell) => (typeof cell === 'string' && /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : (cell ?? ''))).join(',')}\n`;
}
