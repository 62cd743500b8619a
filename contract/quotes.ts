import { z } from 'zod';
import { Failure, text } from './common.ts';
import { InstrumentName } from './instruments.ts';
import { route } from './route.ts';

const rupees = (what: string, example: number) =>
  z
    .number()
    .nullable()
    .meta({ description: `${what}, rupees; null when the broker does not say.`, examples: [example] });

export const Quote = z
  .object({
    instrument: InstrumentName,
    last_price: rupees('Last traded price, of an index its level', 812.35),
    bid: rupees('Best price somebody buys at', 812.3),
    ask: rupees('Best price somebody sells at', 812.4),
    open: rupees("The day's first price", 809),
    high: rupees("The day's highest price", 815.2),
    low: rupees("The day's lowest price", 806.1),
    close: rupees("The day before's close", 808.75),
    volume: z
      .number()
      .nullable()
      .meta({ description: "Quantity traded today, in the broker's own unit; null when the broker does not say.", examples: [4821003] }),
    at: z
      .string()
      .nullable()
      .meta({ description: 'When the last price was known to hold, UTC.', examples: ['2026-11-20T04:12:33.000Z'] }),
    age_ms: z
      .int()
      .nullable()
      .meta({ description: 'How long before this answer that was, milliseconds.', examples: [180] }),
  })
  .meta({ id: 'Quote', description: 'What an instrument trades at.' });
export type Quote = z.infer<typeof Quote>;

export const QuoteList = z
  .object({
    success: z.literal(true),
    quotes: z.array(Quote).meta({ description: 'In the order asked for, without those that are missing.' }),
    missing: z
      .array(
        z.object({
          instrument: z.string().meta({ description: 'As it was asked for.', examples: ['NSE:NOSUCH'] }),
          message: z.string().meta({ description: 'Why there is no quote.', examples: ['The broker lists no NSE:NOSUCH'] }),
        }),
      )
      .optional()
      .meta({ description: 'Instruments without a quote; absent when there are none.' }),
  })
  .meta({ id: 'QuoteList', description: 'Quotes of the instruments asked for.' });
export type QuoteList = z.infer<typeof QuoteList>;

const NAME = '[A-Z_]{2,20}:[^\\s,\\x00-\\x1f\\x7f-\\x9f]';
const REST = '[^,\\x00-\\x1f\\x7f-\\x9f]*';
const LIST_CHARACTERS = 4096;

/** The names of a list, without the blanks around them. */
export function namesIn(list: string): string[] {
  return list.split(',').map((name) => name.trim());
}

/** A list of so many names at most: `NSE:SBIN,NFO:NIFTY29DEC26FUT`. */
export function namesUpTo(most: number) {
  const list = text(LIST_CHARACTERS).meta({ override: { pattern: `^ *${NAME}${REST}(, *${NAME}${REST}){0,${most - 1}}$` } });
  return list.superRefine((list, ctx) => {
    const names = namesIn(list);
    const odd = names.find((name) => !new RegExp(`^${NAME}`).test(name));
    if (names.length > most) ctx.addIssue({ code: 'custom', message: `must be at most ${most} names` });
    else if (odd !== undefined) ctx.addIssue({ code: 'custom', message: `must be names such as NSE:SBIN; "${odd.slice(0, 40)}" is none` });
  });
}

export const quoteRoutes = {
  getQuotes: route({
    method: 'GET',
    path: '/broker/quotes',
    summary: 'Get quotes',
    description:
      'Of up to 50 instruments: from the live feed where it is fresh, else from one read of the broker, within its limits. age_ms tells how old each is.',
    query: true,
    input: z.strictObject({
      instruments: namesUpTo(50).meta({
        description: "Names, separated by commas, at most 50: EXCHANGE:SYMBOL, the one name or the broker's own symbol.",
        examples: ['NSE:SBIN,NSE:INFY'],
      }),
    }),
    output: z.union([QuoteList, Failure]),
  }),
};
