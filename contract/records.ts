import { z } from 'zod';
import { Failure, isDay } from './common.ts';
import { route } from './route.ts';
import { orderStatuses } from './words.ts';

/** A trading day of a query: `YYYY-MM-DD`, IST; today unless given. */
export const queryDay = z
  .string()
  .refine(isDay, 'must be a day such as 2026-11-20')
  .meta({
    description: 'The trading day, YYYY-MM-DD, IST; today unless given.',
    examples: ['2026-11-20'],
    override: { format: 'date' },
  })
  .optional();

/** Rupees of a report: null where nobody knows. */
export const money = (what: string, example: number | null, when = 'not known') =>
  z
    .number()
    .nullable()
    .meta({ description: `${what}, rupees; null when ${when}.`, examples: [example] });

const words = (what: string, example: string | null) =>
  z
    .string()
    .nullable()
    .meta({ description: what, examples: [example] });
export const instant = (what: string) => words(`${what}, UTC.`, '2026-11-20T04:12:33.120Z');
const symbol = z.string().meta({ description: 'The symbol, as our records have it.', examples: ['SBIN'] });
const exchange = z
  .string()
  .meta({ description: "NSE, BSE, NFO, BFO, MCX or CDS; another segment keeps the broker's word.", examples: ['NSE'] });
const side = z.string().meta({ description: 'BUY or SELL.', examples: ['BUY'] });
const product = z.string().meta({ description: 'INTRADAY, DELIVERY or CARRYFORWARD.', examples: ['INTRADAY'] });
const instrument = words("The one name of the instrument; null where the broker's instrument file has none.", 'NSE:SBIN');
const token = words("The broker's instrument token, where our records have one.", '779521');
const strategy = words('What placed the order, as its caller said; null where nobody said.', 'breakout');
const units = (what: string) => z.int().meta({ description: `${what}, in the broker's own unit (units or lots).`, examples: [10] });

/** Whose records an answer tells. */
export const reported = {
  success: z.literal(true),
  day: z.string().meta({ description: 'The trading day it tells of, YYYY-MM-DD, IST.', examples: ['2026-11-20'] }),
  broker: words('Whose records: the connected broker, else the last one that was; null when none ever was.', 'zerodha'),
};

export const RecordedPosition = z
  .object({
    id: z.int().meta({ description: 'Number of the position record.', examples: [17] }),
    instrument,
    exchange,
    symbol,
    token,
    product_type: product,
    side: z.string().meta({ description: 'BUY: it is or was long. SELL: short.', examples: ['BUY'] }),
    status: z.enum(['OPEN', 'CLOSED']).meta({ description: 'Whether it is open.', examples: ['OPEN'] }),
    net_quantity: units('What is open, positive long, negative short; 0 when closed'),
    average_price: money('Average cost of what is open, or of what was', 812.35, 'nobody told it'),
    exit_price: money('Average price of what was closed', null, 'nothing was closed, or not known'),
    last_price: money('Last traded price', 815.1, 'none was seen'),
    price_at: instant('When the last price came; of a price of the records, when it last changed'),
    realised_today: money("What the day's executions realised against average cost", 0),
    realised: money('What this position realised since it was opened', 0),
    unrealised: money('What is open at the last price against its average cost', 27.5),
    profit_today: money("Profit of the day: since yesterday's close, or since today's entry", 27.5),
    profit_since_entry: money('Realised and unrealised since it was opened', 27.5),
    unknown: words('Why a profit is null; null where none is.', null),
    strategy,
    opened_at: z.string().meta({ description: 'When it was opened, UTC.', examples: ['2026-11-20T04:12:33.120Z'] }),
    closed_at: instant('When it was closed; null while open'),
    close_reason: words('ORDER, NOT_HELD_AT_BROKER or ACCOUNT_CHANGED; null while open.', null),
  })
  .meta({ id: 'RecordedPosition', description: 'One position of our records.' });
export type RecordedPosition = z.infer<typeof RecordedPosition>;

export const RecordedPositions = z
  .object({ ...reported, positions: z.array(RecordedPosition).meta({ description: 'Open ones first, then the newest.' }) })
  .meta({ id: 'RecordedPositions', description: 'What is open now, and what was closed on the day.' });
export type RecordedPositions = z.infer<typeof RecordedPositions>;

/** Steps of an order, in the order in which they may come. */
export const orderSteps = [
  ...[
    'claimed',
    'sent',
    'accepted',
    'first_fill',
    'filled',
    'rejected',
    'cancelled',
    'refused',
    'not_sent',
    'unknown',
    'found',
    'resolved',
  ],
  ...['resting', 'modify_sent', 'modified', 'modify_refused', 'cancel_sent', 'cancel_accepted', 'cancel_refused', 'external'],
] as const;

export const OrderStep = z
  .object({
    step: z.string().meta({
      description: `What happened: ${orderSteps.join(', ')}.`,
      examples: ['accepted'],
    }),
    at: z.string().meta({ description: 'When, UTC.', examples: ['2026-11-20T04:12:33.120Z'] }),
    after_ms: z.number().meta({ description: 'How long after the first step, milliseconds.', examples: [41.2] }),
    message: words('What was said then; null where nothing was.', null),
  })
  .meta({ id: 'OrderStep', description: 'One step of an order.' });
export type OrderStep = z.infer<typeof OrderStep>;

/** The statuses of an order record, and of what never became one. */
export const reportedStatuses = [...orderStatuses, 'REFUSED'] as const;

export const RecordedOrder = z
  .object({
    order_id: words('Broker order id; null while none is known, and for what was never sent.', '1953341975595868160'),
    exchange: exchange.nullable(),
    symbol,
    instrument,
    transaction_type: side.nullable(),
    order_type: words('MARKET, LIMIT, SL or SL-M.', 'LIMIT'),
    product_type: product.nullable(),
    quantity: units('Quantity ordered').nullable(),
    filled_quantity: units('Quantity filled'),
    price: money('Limit price; 0 for MARKET', 812.5, 'it was not kept'),
    trigger_price: money('Trigger price of SL orders; 0 otherwise', 0, 'it was not kept'),
    average_price: money('Average price of the fills', 812.35, 'nothing filled'),
    status: z.enum(reportedStatuses).meta({
      description: 'The word of the order record. REFUSED: it never left the gateway. UNKNOWN: its fate is not known.',
      examples: ['FILLED'],
    }),
    attempt_state: words(
      'SENDING, ACCEPTED, AMBIGUOUS, DONE, NOT_SENT or UNRESOLVED; null for orders placed elsewhere, and once the attempt is forgotten.',
      'DONE',
    ),
    unresolved: z.boolean().meta({ description: 'Its fate is not known: look at `advice`.', examples: [false] }),
    strategy,
    reason: words('Why it was rejected, cancelled or refused; null for any other, and where nobody said.', null),
    external: z.boolean().meta({ description: "Placed elsewhere, in the broker's own app.", examples: [false] }),
    placed_at: z.string().meta({ description: 'When it began, UTC.', examples: ['2026-11-20T04:12:33.120Z'] }),
    steps: z.array(OrderStep).meta({ description: 'What happened to it, in order.' }),
    advice: words('What to do now, one sentence; null when nothing.', null),
  })
  .meta({ id: 'RecordedOrder', description: 'One order of our records, with its steps.' });
export type RecordedOrder = z.infer<typeof RecordedOrder>;

export const RecordedOrders = z
  .object({ ...reported, orders: z.array(RecordedOrder).meta({ description: 'Unresolved ones first, then the newest.' }) })
  .meta({ id: 'RecordedOrders', description: "The day's orders, ours and those placed elsewhere." });
export type RecordedOrders = z.infer<typeof RecordedOrders>;

export const RecordedTrade = z
  .object({
    trade_id: z.string().meta({ description: 'Execution id of the exchange or broker.', examples: ['10000000'] }),
    order_id: z.string().meta({ description: 'Broker order id.', examples: ['1953341975595868160'] }),
    exchange,
    symbol,
    instrument,
    transaction_type: side,
    product_type: product,
    quantity: units('Quantity of this execution'),
    price: z.number().meta({ description: 'Price of this execution, rupees.', examples: [812.35] }),
    traded_at: z.string().meta({ description: 'When it traded, UTC.', examples: ['2026-11-20T04:12:33.000Z'] }),
    position_id: z
      .int()
      .nullable()
      .meta({ description: 'The position record it changed first; null: it traded before our books began.', examples: [17] }),
    derived: z.boolean().meta({
      description: "Told by the order book's cumulative fill; the exchange's own trades replace it.",
      examples: [false],
    }),
  })
  .meta({ id: 'RecordedTrade', description: 'One execution of our records.' });
export type RecordedTrade = z.infer<typeof RecordedTrade>;

export const RecordedTrades = z
  .object({ ...reported, trades: z.array(RecordedTrade).meta({ description: 'Newest first.' }) })
  .meta({ id: 'RecordedTrades', description: "The day's executions." });
export type RecordedTrades = z.infer<typeof RecordedTrades>;

export const recordRoutes = {
  listRecordedPositions: route({
    method: 'GET',
    path: '/broker/records/positions',
    summary: 'List the positions of our records',
    description:
      'What is open now, and what was closed on the day, with profits. A profit that cannot be computed is null, and `unknown` says why. ' +
      'Of a past day: what was closed on it. Answers without asking the broker.',
    query: true,
    input: z.strictObject({
      status: z
        .string()
        .refine((word) => ['OPEN', 'CLOSED', 'ALL'].includes(word), 'must be OPEN, CLOSED or ALL')
        .meta({ description: 'OPEN, CLOSED or ALL; ALL unless given.', examples: ['ALL'], override: { enum: ['OPEN', 'CLOSED', 'ALL'] } })
        .optional(),
      day: queryDay,
    }),
    output: z.union([RecordedPositions, Failure]),
  }),
  listRecordedOrders: route({
    method: 'GET',
    path: '/broker/records/orders',
    summary: "List the day's orders of our records",
    description:
      'Ours and those placed elsewhere, unresolved ones first, then the newest, each with its steps; also what was refused before it was sent. ' +
      'Answers without asking the broker.',
    query: true,
    input: z.strictObject({ day: queryDay }),
    output: z.union([RecordedOrders, Failure]),
  }),
  listRecordedTrades: route({
    method: 'GET',
    path: '/broker/records/trades',
    summary: "List the day's executions of our records",
    description: 'The rows of trade_history of the day, newest first. Answers without asking the broker.',
    query: true,
    input: z.strictObject({ day: queryDay }),
    output: z.union([RecordedTrades, Failure]),
  }),
};
