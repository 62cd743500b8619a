import { z } from 'zod';
import type { Broker, BrokerEnv, BrokerQuote } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { instrument } from '../parse.ts';
import { indexExchanges, type QuoteCall, quoteReader, quotesBy, quotesOf, shownPrice, shownVolume } from '../quote.ts';
import type { Api } from './api.ts';
import { segments } from './wire.ts';

/** Most scrips of one call. */
const MOST_SCRIPS = 50;

/** Codes of indices are the cash segment's. */
const quoted: Readonly<Record<string, string>> = {
  ...segments,
  ...Object.fromEntries(Object.entries(indexExchanges).map(([ours, exchange]) => [ours, exchange === 'MCX' ? 'MD' : segments[exchange]])),
};

/** `/Date(1795147953230+0530)/`: epoch ms, whatever stands behind them. */
function toldAt(text: unknown): number | null {
  const ms = /^\/Date\((\d+)/.exec(String(text))?.[1];
  return ms === undefined || Number(ms) === 0 ? null : Number(ms);
}

/** What MarketSnapshot tells of a scrip, under the names of the official sample or those that others have seen: rupees. It knows no bid and no ask. */
export const quoteSchema: z.ZodType<BrokerQuote> = z
  .looseObject({
    LastRate: shownPrice,
    LastTradedPrice: shownPrice,
    Open: shownPrice,
    High: shownPrice,
    Low: shownPrice,
    PClose: shownPrice,
  })
  .extend({ TotalQty: shownVolume, Volume: shownVolume, TickDt: z.unknown().optional(), LastTradeTime: z.unknown().optional() })
  .transform((row) => ({
    lastPrice: row.LastRate ?? row.LastTradedPrice,
    bid: null,
    ask: null,
    open: row.Open,
    high: row.High,
    low: row.Low,
    close: row.PClose,
    volume: row.TotalQty ?? row.Volume,
    at: toldAt(row.TickDt) ?? toldAt(row.LastTradeTime),
  }));
const code = z.looseObject({ Exch: z.string(), ExchType: z.string(), Token: instrument });
const otherCode = z
  .looseObject({ Exchange: z.string(), ExchangeType: z.string(), ScripCode: instrument })
  .transform(({ Exchange, ExchangeType, ScripCode }) => ({ Exch: Exchange, ExchType: ExchangeType, Token: ScripCode }));
const rowName = z.union([code, otherCode]);

export function createQuotes(env: BrokerEnv, api: Api): Pick<Broker, 'quotes'> {
  const read = quoteReader(env.log, 'fivepaisa', quoteSchema);
  const call: QuoteCall = {
    most: MOST_SCRIPS,
    key({ exchange, token }) {
      const id = numberToken(token);
      return quoted[exchange] && id ? `${quoted[exchange]} ${id}` : null;
    },
    async ask(names) {
      const Data = names.map((name) => ({ Exchange: name[0], ExchangeType: name[1], ScripCode: Number(name.slice(3)), ScripData: '' }));
      const answer = await api.read('/MarketSnapshot', { Data });
      if (!answer.success) return answer.empty ? new Map() : answer;
      const rows = answer.data.Data;
      return Array.isArray(rows) ? quotesOf(rows, nameOf, read) : { success: false, message: '5paisa answered without quotes' };
    },
  };
  return { quotes: (instruments, room) => quotesBy(call, instruments, room) };
}

function nameOf(row: unknown): string | null {
  const name = rowName.safeParse(row).data;
  return name ? `${name.Exch}${name.ExchType} ${numberToken(name.Token)}` : null;
}
