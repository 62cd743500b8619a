import type { Instrument, InstrumentList } from '../../../../../contract/instruments.ts';
import { get } from './api.ts';

const WAIT_MS = 120;

/** Where a share is listed twice, most of it trades on NSE. */
function nseFirst(one: Instrument, other: Instrument): number {
  return one.kind === 'EQ' && other.kind === 'EQ' && one.symbol === other.symbol ? other.exchange.localeCompare(one.exchange) : 0;
}

/** Asks for instruments as somebody types: after a short rest, and only the newest question's answer counts. */
export function searcher(show: (found: readonly Instrument[], fault: string | null) => void): (words: string) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  return (words) => {
    clearTimeout(timer);
    asked += 1;
    const mine = asked;
    if (words.trim() === '') return show([], null);
    timer = setTimeout(() => {
      get<InstrumentList>('/broker/instruments', { q: words.trim(), limit: '12' }).then(
        ({ instruments }) => {
          if (mine === asked) show(instruments.filter(({ kind }) => kind !== 'INDEX').sort(nseFirst), null);
        },
        (error: unknown) => {
          if (mine === asked) show([], error instanceof Error ? error.message : String(error));
        },
      );
    }, WAIT_MS);
  };
}
