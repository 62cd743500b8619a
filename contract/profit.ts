import { z } from 'zod';
import { Failure, queryText } from './common.ts';
import { InstrumentName } from './instruments.ts';
import { instant, money, queryDay, reported } from './records.ts';
import { route } from './route.ts';

const at = z.string().meta({ description: 'When, UTC.', examples: ['2026-11-20T04:12:33.120Z'] });
const figures = {
  realised: z.number().meta({ description: "What the day's executions realised against average cost, rupees.", examples: [120.5] }),
  unrealised: money('What the unrealised profit moved by on the day', -14.25, "one position's is not known"),
  total: money('Profit of the day: both together', 106.25, "one position's is not known"),
};
const named = (what: string) =>
  z
    .string()
    .nullable()
    .meta({ description: what, examples: [null] });

export const DayProfit = z
  .object({
    ...reported,
    ...figures,
    known: z.number().meta({ description: 'Profit of the day of the positions whose profit is known, rupees.', examples: [106.25] }),
    unknown: z
      .array(
        z.object({
          exchange: z.string().meta({ examples: ['NSE'] }),
          symbol: z.string().meta({ examples: ['SBIN'] }),
          product_type: z.string().meta({ examples: ['DELIVERY'] }),
          reason: z.string().meta({ description: 'Why nobody can tell.', examples: ["yesterday's close is not known"] }),
        }),
      )
      .meta({ description: 'Positions whose profit of the day is not known.' }),
    by_instrument: z
      .array(
        z.object({
          instrument: named("The one name of the instrument; null where the broker's instrument file has none."),
          exchange: z.string().meta({ examples: ['NSE'] }),
          symbol: z.string().meta({ examples: ['SBIN'] }),
          ...figures,
        }),
      )
      .meta({ description: 'The same by instrument, in order of name.' }),
    by_strategy: z
      .array(z.object({ strategy: named('What placed the orders; null where nobody said.'), ...figures }))
      .meta({ description: 'The same by what opened the position.' }),
    equity: z
      .array(z.object({ at, ...figures }))
      .meta({ description: 'How the day went: at most one point a minute, and one at each fill. Kept over restarts.' }),
  })
  .meta({ id: 'DayProfit', description: 'What the account earned on a day.' });
export type DayProfit = z.infer<typeof DayProfit>;

export const PriceHistory = z
  .object({
    ...reported,
    exchange: z.string().meta({ examples: ['NSE'] }),
    symbol: z.string().meta({ description: 'As our records and the feed name it.', examples: ['SBIN'] }),
    points: z.array(z.object({ at, price: z.number().meta({ description: 'Last traded price, rupees.', examples: [812.35] }) })).meta({
      description: 'Every 5 s while it moved and the feed followed it, older ones thinned; since the start of the gateway or of the day.',
    }),
    fills: z
      .array(
        z.object({
          at,
          price: z.number().meta({ description: 'Rupees.', examples: [812.35] }),
          quantity: z.int().meta({ description: "In the broker's own unit.", examples: [10] }),
          side: z.string().meta({ description: 'BUY or SELL.', examples: ['BUY'] }),
          order_id: z.string().meta({ description: 'Broker order id.', examples: ['1953341975595868160'] }),
        }),
      )
      .meta({ description: "The day's executions in it, oldest first." }),
  })
  .meta({ id: 'PriceHistory', description: 'How the price of one instrument went, with the fills on it.' });
export type PriceHistory = z.infer<typeof PriceHistory>;

const ms = (what: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${what}, milliseconds; null where it was not seen.`, examples: [21.4] });

export const Latencies = z
  .object({
    ...reported,
    orders: z
      .array(
        z.object({
          order_id: named('Broker order id; null while none is known.'),
          symbol: z.string().meta({ examples: ['SBIN'] }),
          status: z.string().meta({ description: 'As in the list of orders.', examples: ['FILLED'] }),
          at: instant('When it was asked for'),
          to_sent_ms: ms('From the request to its bytes leaving'),
          to_accepted_ms: ms("From there to the broker's answer"),
          to_final_ms: ms('From there until it was filled, rejected, cancelled, or rested'),
          total_ms: ms('All of it'),
        }),
      )
      .meta({ description: 'Oldest first; without those placed elsewhere.' }),
  })
  .meta({ id: 'Latencies', description: "How long the day's orders took." });
export type Latencies = z.infer<typeof Latencies>;

export const profitRoutes = {
  getProfit: route({
    method: 'GET',
    path: '/broker/profit',
    summary: 'See what the day earned',
    description:
      "Realised and unrealised profit of the day, by instrument and by strategy, and how it went. A carried position counts from yesterday's close. " +
      'Where a price is not known the totals are null, and `unknown` says which. Answers without asking the broker.',
    query: true,
    input: z.strictObject({ day: queryDay }),
    output: z.union([DayProfit, Failure]),
  }),
  getPrices: route({
    method: 'GET',
    path: '/broker/prices',
    summary: 'See how one price went',
    description:
      'Of what the live feed follows: what is held and open, and what a stream asks for. Give `instrument`, or `exchange` and `symbol`.',
    query: true,
    input: z.strictObject({
      instrument: InstrumentName.max(200).optional(),
      exchange: queryText().meta({ description: 'With `symbol`: the exchange.', examples: ['NSE'] }),
      symbol: queryText().meta({ description: 'With `exchange`: the symbol as our records have it.', examples: ['SBIN'] }),
      day: queryDay,
    }),
    output: z.union([PriceHistory, Failure]),
  }),
  getLatencies: route({
    method: 'GET',
    path: '/broker/latencies',
    summary: "See how long the day's orders took",
    description: "From the request to the send, to the broker's answer, to the end. Answers without asking the broker.",
    query: true,
    input: z.strictObject({ day: queryDay }),
    output: z.union([Latencies, Failure]),
  }),
};
