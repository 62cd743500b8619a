import { z } from 'zod';
import { Failure, queryInteger, queryText, text } from './common.ts';
import { route } from './route.ts';
import { instrumentKinds } from './words.ts';

export const InstrumentName = z.string().meta({
  description:
    'The one name of an instrument at every broker, EXCHANGE:SYMBOL: NSE:SBIN, NSE_INDEX:NIFTY, NFO:NIFTY29DEC26FUT, NFO:NIFTY29DEC2626000CE.',
  examples: ['NSE:SBIN'],
});

const day = z
  .string()
  .nullable()
  .meta({ description: 'Expiry of a contract, YYYY-MM-DD, IST; null where there is none.', examples: [null] });
const rupees = (what: string, example: number | null) =>
  z
    .number()
    .nullable()
    .meta({ description: `${what}, rupees; null where there is none.`, examples: [example] });
const known = (what: string, example: string | null) =>
  z
    .string()
    .nullable()
    .meta({ description: `${what}; null when the broker does not say.`, examples: [example] });

export const Instrument = z
  .object({
    instrument: InstrumentName,
    exchange: z.string().meta({
      description: 'NSE, BSE, NFO, BFO, MCX, CDS, BCD or NCO; NSE_INDEX, BSE_INDEX and MCX_INDEX hold indices, which nobody trades.',
      examples: ['NSE'],
    }),
    symbol: z.string().meta({ description: 'The name without its exchange.', examples: ['SBIN'] }),
    name: known('Name of the company or contract', 'STATE BANK OF INDIA'),
    kind: z.enum(instrumentKinds).meta({ description: 'Share, index, future, call or put.', examples: ['EQ'] }),
    underlying: z
      .string()
      .nullable()
      .meta({ description: 'What a contract is on; null for shares and indices.', examples: [null] }),
    expiry: day,
    strike: rupees('Strike of an option', null),
    lot_size: z.int().meta({ description: "What quantities are multiples of, in the broker's own unit for the exchange.", examples: [1] }),
    tick_size: rupees('What prices are multiples of', 0.05),
    freeze_quantity: z
      .int()
      .nullable()
      .meta({
        description: "The largest quantity of one order, in the broker's own unit; null when the broker does not say.",
        examples: [null],
      }),
    isin: known('ISIN', 'INE062A01020'),
    broker_symbol: z.string().meta({ description: "The active broker's own symbol.", examples: ['SBIN'] }),
    token: z.string().meta({ description: "The active broker's own token.", examples: ['779521'] }),
  })
  .meta({ id: 'Instrument', description: 'One instrument as every broker knows it, with what the active broker calls it.' });
export type Instrument = z.infer<typeof Instrument>;

const master = {
  as_of: z.string().meta({ description: "The trading day of the broker's instrument file, YYYY-MM-DD, IST.", examples: ['2026-11-20'] }),
  message: z
    .string()
    .optional()
    .meta({
      description: 'Why the file is not of today, when it is not.',
      examples: ['The file of 2026-11-23 could not be read: HTTP 503'],
    }),
};

export const InstrumentList = z
  .object({
    success: z.literal(true),
    instruments: z.array(Instrument),
    next: z
      .string()
      .nullable()
      .meta({ description: 'What to give as `after` for the next page; null on the last one.', examples: [null] }),
    ...master,
  })
  .meta({ id: 'InstrumentList', description: 'Instruments of the active broker, by expiry, strike and name.' });
export type InstrumentList = z.infer<typeof InstrumentList>;

export const InstrumentFound = z
  .object({ success: z.literal(true), instrument: Instrument, ...master })
  .meta({ id: 'InstrumentFound', description: 'One instrument of the active broker.' });
export type InstrumentFound = z.infer<typeof InstrumentFound>;

export const InstrumentQuery = z.strictObject({
  q: queryText().meta({
    description:
      'Words that all must fit, in any order and letter case: the beginning of a symbol or of a word of a name, CE, PE, FUT or EQ, a strike, a month or a day (DEC, 29DEC26).',
    examples: ['nifty 26000 ce dec'],
  }),
  exchange: queryText().meta({ description: 'Only of this exchange.', examples: ['NFO'] }),
  underlying: queryText().meta({ description: 'Only contracts on it.', examples: ['NIFTY'] }),
  kind: queryText().meta({ description: 'Only EQ, INDEX, FUT, CE or PE.', examples: ['CE'] }),
  expiry: queryText().meta({ description: 'Only contracts of this expiry, YYYY-MM-DD.', examples: ['2026-12-29'] }),
  strike_from: queryText().meta({ description: 'Only options from this strike on, rupees.', examples: ['25500'] }),
  strike_to: queryText().meta({ description: 'Only options up to this strike, rupees.', examples: ['26500'] }),
  after: queryText().meta({ description: '`next` of the page before.' }),
  limit: queryInteger(1, 500).meta({ description: 'Instruments of a page, 50 unless given.', examples: [50] }),
});
export type InstrumentQuery = z.infer<typeof InstrumentQuery>;

export const instrumentRoutes = {
  searchInstruments: route({
    method: 'GET',
    path: '/broker/instruments',
    summary: 'Search instruments',
    description: "What the active broker lists, from its own instrument file of the day, under the gateway's one name. Paged.",
    query: true,
    input: InstrumentQuery,
    output: z.union([InstrumentList, Failure]),
  }),
  getInstrument: route({
    method: 'GET',
    path: '/broker/instruments/{exchange}/{symbol}',
    summary: 'Get one instrument',
    description: "By its one name or by the broker's own symbol.",
    input: z.strictObject({
      exchange: text(20).meta({ description: 'Its exchange.', examples: ['NFO'] }),
      symbol: text().meta({ description: "Its one name, or the broker's symbol.", examples: ['NIFTY29DEC2626000CE'] }),
    }),
    output: z.union([InstrumentFound, Failure]),
  }),
};
