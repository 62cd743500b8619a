import { Big } from '../../money.ts';
import type { PositionRow } from '../broker.ts';
import type { Api } from './api.ts';
import { lastPrices, type Segment } from './wire.ts';

/** Most names of one quote call. */
const MOST_NAMES = 50;

const isOption = ({ symbol }: PositionRow) => /\d(CE|PE)$/.test(symbol);

/**
 * Turns the prices of positions into rupees. The documents say rupees, others have met paise: the last traded price decides, which no share or
 * future leaves by a factor of ten. Options do: a price that far from the last one stays unknown, as does any without a last price. What a
 * quantity of MCX counts is not documented, so that a price of one says nothing.
 */
export function createPositionPrices(api: Api, segmentOf: (row: PositionRow) => Segment): (rows: PositionRow[]) => Promise<PositionRow[]> {
  const seen = new Map<string, number>();
  const nameOf = (row: PositionRow) => `${row.exchange.startsWith('B') ? 'BSE' : 'NSE'}_${row.symbol}`;

  async function look(segment: Segment, names: readonly string[]): Promise<void> {
    const answer = await api.get('/v1/live-data/ltp', { segment, exchange_symbols: names.slice(0, MOST_NAMES).join(',') });
    const prices = answer.success ? lastPrices.safeParse(answer.data).data : undefined;
    for (const [name, price] of Object.entries(prices ?? {})) seen.set(name, price);
  }

  return async (rows) => {
    const priced = rows.filter((row) => row.net_quantity !== 0 && row.average_price !== null && row.exchange !== 'MCX');
    for (const segment of ['CASH', 'FNO'] as const) {
      const names = priced.filter((row) => segmentOf(row) === segment).map(nameOf);
      const missing = [...new Set(names)].filter((name) => !seen.has(name));
      if (missing.length > 0) await look(segment, missing);
    }
    return rows.map((row) => ({
      ...row,
      average_price: priced.includes(row) ? rupeesOf(row.average_price ?? 0, seen.get(nameOf(row)), isOption(row)) : null,
    }));
  };
}

function rupeesOf(told: number, last: number | undefined, option: boolean): number | null {
  if (!last) return null;
  const ratio = told / last;
  if (ratio > 0.1 && ratio < 10) return told;
  return !option && ratio > 10 && ratio < 1_000 ? Number(new Big(told).div(100).toFixed()) : null;
}
