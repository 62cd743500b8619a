import { type Clock, tradingDay } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import type { Listed } from '../types.ts';
import type { Call, Route } from './emulator.ts';
import type { LongReply, WireReply } from './message.ts';
import { gzipped, zipped } from './packed.ts';
import { inPieces, keptPieces } from './pieces.ts';

/** One file of a broker's instrument master. */
export interface MasterFile {
  path: string;
  type: string;
  /** Beside the type. */
  headers?: Readonly<Record<string, string>>;
  /** What is sent: a gzip file, a zip of one file with the name of the path, or either of plain and gzip, as the caller takes it. Plain unless given. */
  pack?: 'gzip' | 'zip' | 'as taken';
  /** Counts within the limits of the API, whose own host serves it. */
  limited?: true;
  /** Its text by lines with their ends, on a day (YYYY-MM-DD, India). What is left out is an empty line. */
  lines(listed: Iterable<Listed>, day: string): Iterable<string>;
}

/**
 * The routes of a broker's instrument files: open, made once a day and kept. They may have hundreds of thousands of lines, and orders go on while they
 * are made.
 */
export function masterRoutes({ clock, listed }: Exchange, files: readonly MasterFile[]): Route[] {
  return files.map(({ path, type, headers, pack, limited, lines }) => {
    const plain = daily(clock, (day) => keptPieces(inPieces(lines(listed, day))));
    const gzip = daily(clock, (day) => gzipped(lines(listed, day)));
    const zip = daily(clock, (day) => zipped(path.replace(/^.*\/|\.zip$/g, ''), lines(listed, day), clock.now()));
    const head = { status: 200, headers: { 'Content-Type': type, ...headers } };

    function handle({ request }: Call): LongReply | Promise<WireReply> {
      if (pack === 'zip') return zip().then((body) => ({ ...head, body }));
      if (pack === 'gzip') return gzip().then((body) => ({ ...head, body }));
      if (pack === undefined || !/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return { ...head, pieces: plain() };
      return gzip().then((body) => ({ ...head, headers: { ...head.headers, 'Content-Encoding': 'gzip' }, body }));
    }
    return { method: 'GET', path, operation: 'market', ...(limited ? {} : { limit: 'instruments' }), open: true, handle };
  });
}

/** What was made, from the first time it is asked for until the day in India ends. */
function daily<Made>(clock: Clock, make: (day: string) => Made): () => Made {
  let kept: { day: string; made: Made } | null = null;
  return () => {
    const day = tradingDay(clock.now());
    if (kept?.day !== day) kept = { day, made: make(day) };
    return kept.made;
  };
}
