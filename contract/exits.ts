import { z } from 'zod';
import { Failure, maybeText, text } from './common.ts';
import { PlaceOrderResult } from './orders.ts';
import { route } from './route.ts';

/** Positions of one exit. */
const MOST_POSITIONS = 200;

const exchange = text().meta({ description: 'NSE, BSE, NFO, BFO, MCX or CDS.', examples: ['NSE'] });
const symbol = text().meta({ description: "The broker's own symbol, or the one name of the instrument.", examples: ['SBIN'] });
const token = maybeText()
  .default('')
  .meta({ description: "The broker's instrument token, where it is known.", examples: ['779521'] });
const product = text().meta({ description: 'INTRADAY, DELIVERY or CARRYFORWARD.', examples: ['INTRADAY'] });
const holding = z
  .boolean()
  .default(false)
  .meta({ description: 'true: the shares held from earlier days, which no exit sells unless they are named so.', examples: [false] });

export const PositionName = z
  .strictObject({ exchange, symbol, token, product_type: product, holding })
  .meta({ id: 'PositionName', description: 'What names one position.' });
export type PositionName = z.infer<typeof PositionName>;

export const ExitRequest = z
  .strictObject({
    // Not a constant: openapi-python-client 0.29.1 writes a client that does not parse for an optional one.
    all: z
      .boolean()
      .optional()
      .meta({ description: 'true: every open position of the account; what is held from earlier days is none.', examples: [true] }),
    positions: z.array(PositionName).min(1).max(MOST_POSITIONS).optional().meta({ description: 'These positions, at most 200.' }),
    idempotency_key: text(255)
      .nullish()
      .meta({
        description:
          'Caller-chosen key. A repeat with the same key replays the report, or goes on where the gateway was interrupted, and sends nothing twice. ' +
          'Without one the gateway makes one and tells it.',
        examples: ['exit-2026-11-20-1'],
      }),
  })
  .superRefine(({ all, positions }, ctx) => {
    if ((all === true) === (positions !== undefined) || all === false)
      ctx.addIssue({ code: 'custom', path: ['positions'], message: 'either positions, or all: true, and not both' });
  })
  .meta({ id: 'ExitRequest', description: 'What to exit: either all, or positions.', examples: [{ all: true }] });
export type ExitRequest = z.infer<typeof ExitRequest>;

const units = (what: string, example = 10) => z.int().meta({ description: `${what}, in the broker's own unit.`, examples: [example] });
const rupees = (what: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${what}, rupees; null when the broker does not say.`, examples: [812.35] });
const orderId = z.string().meta({ description: 'Broker order id.', examples: ['1953341975595868160'] });

const position = {
  instrument: z
    .string()
    .nullable()
    .meta({ description: "The one name of its instrument; null where the broker's instrument file has none.", examples: ['NSE:SBIN'] }),
  exchange: z.string().meta({ description: "As the broker's row has it.", examples: ['NSE'] }),
  symbol: z.string().meta({ description: 'As the broker writes it.', examples: ['SBIN'] }),
  token: z.string().meta({ description: "The broker's instrument token; empty when the row has none.", examples: ['779521'] }),
  product_type: z.string().meta({ description: 'INTRADAY, DELIVERY or CARRYFORWARD.', examples: ['INTRADAY'] }),
  holding: z.boolean().meta({ description: 'Shares held from earlier days.', examples: [false] }),
  net_quantity: units('Net open quantity, positive long, negative short'),
  side: z
    .string()
    .nullable()
    .meta({ description: 'SELL for a long position, BUY for a short one; null where there is nothing to exit.', examples: ['SELL'] }),
  quantity: units('What the exit sends: the whole position, less what is under way already and cannot be cancelled'),
  last_price: rupees('Last traded price'),
  warnings: z.array(z.string()).meta({ description: 'What a person should know before this exit.', examples: [[]] }),
};

const cancelled = {
  order_id: orderId,
  order_type: z.string().meta({ description: 'MARKET, LIMIT, SL or SL-M.', examples: ['SL'] }),
  quantity: units('What of it has not filled'),
  price: rupees('Limit price'),
  trigger_price: rupees('Trigger price'),
};

const PlannedExit = z
  .object({
    ...position,
    cancels: z.array(z.object(cancelled).meta({ id: 'PlannedCancel', description: 'A resting order of the exit side.' })).meta({
      description: 'Resting orders of the exit side, which are cancelled first: a stop among them protects no more from then on.',
    }),
  })
  .meta({ id: 'PlannedExit', description: 'What the exit of one position does.' });

export const ExitPlan = z
  .object({
    success: z.literal(true),
    at: z.string().meta({ description: 'When the broker was read, UTC.', examples: ['2026-11-20T04:12:33.000Z'] }),
    broker: z.string().meta({ description: 'The active broker.', examples: ['zerodha'] }),
    positions: z.array(PlannedExit).meta({ description: 'Every open position of the account.' }),
    warnings: z.array(z.string()).meta({ description: 'What holds for all of them.', examples: [[]] }),
  })
  .meta({ id: 'ExitPlan', description: 'What an exit would do now. Nothing is sent.' });
export type ExitPlan = z.infer<typeof ExitPlan>;

/** What became of one position. */
export const exitOutcomes = ['FLAT', 'SENT', 'PARTLY', 'REFUSED', 'UNKNOWN', 'NOTHING_TO_DO'] as const;
export type ExitOutcome = (typeof exitOutcomes)[number];

const CancelReport = z
  .object({
    ...cancelled,
    success: z
      .boolean()
      .nullable()
      .meta({
        description: 'true: it is gone, cancelled or filled. false: it rests on. null: not known.',
        examples: [true],
      }),
    filled_quantity: units('What of it filled while it was being cancelled', 0),
    message: z.string().meta({ description: 'What the broker said of the cancel; empty where nothing.', examples: [''] }),
  })
  .meta({ id: 'CancelReport', description: 'What became of a resting order of the exit side.' });

const ExitOrder = z
  .object({
    quantity: z
      .int()
      .nullable()
      .meta({
        description: "Quantity asked for, in the broker's own unit; null where it was sent before the gateway was interrupted.",
        examples: [10],
      }),
    answer: PlaceOrderResult,
  })
  .meta({ id: 'ExitOrder', description: 'One order of an exit: reduce_only, MARKET.' });

const ExitedPosition = z
  .object({
    ...position,
    cancels: z.array(CancelReport).meta({ description: 'In the order of the plan.' }),
    orders: z
      .array(ExitOrder)
      .meta({ description: 'More than one where the exchange takes no order so large, or where the first filled in part.' }),
    filled_quantity: units('What the orders of this exit filled, as far as it is known'),
    left_quantity: z
      .int()
      .nullable()
      .meta({ description: "What of the position is still open, in the broker's own unit; null when that is not known.", examples: [0] }),
    outcome: z.enum(exitOutcomes).meta({
      description:
        'FLAT: nothing is left. SENT: the order lives and has not filled yet. PARTLY: a part is closed. REFUSED: nothing is closed and no order lives. ' +
        'UNKNOWN: what was sent is not settled, look at the orders before acting. NOTHING_TO_DO: there was no such open position.',
      examples: ['FLAT'],
    }),
    message: z.string().meta({ description: 'The outcome in words for a person, and what to do.', examples: ['Closed 10'] }),
  })
  .meta({ id: 'ExitedPosition', description: 'What became of one position.' });

export const ExitReport = z
  .object({
    success: z.literal(true).meta({ description: 'The exit was carried out; what became of each position stands there.' }),
    flat: z.boolean().meta({ description: 'true: nothing of what was to be exited is left open.', examples: [true] }),
    finished: z.boolean().meta({
      description:
        'false: the time for an answer was over, or the gateway stopped, before the exit was done; the same request again goes on and tells the rest.',
      examples: [true],
    }),
    idempotency_key: z.string().meta({ description: 'The key of this exit.', examples: ['exit-2026-11-20-1'] }),
    broker: z.string().meta({ description: 'The broker it went to.', examples: ['zerodha'] }),
    at: z.string().meta({ description: 'When it began, UTC.', examples: ['2026-11-20T04:12:33.000Z'] }),
    positions: z.array(ExitedPosition).meta({ description: 'Each position of the plan.' }),
    warnings: z.array(z.string()).meta({ description: 'What holds for all of them.', examples: [[]] }),
  })
  .meta({ id: 'ExitReport', description: 'What an exit did, position by position.' });
export type ExitReport = z.infer<typeof ExitReport>;

export const exitRoutes = {
  planExits: route({
    method: 'GET',
    path: '/broker/exits',
    summary: 'Tell what an exit would do',
    description:
      'Every open position with the order that would close it and the resting orders that would be cancelled first. Nothing is sent.',
    query: true,
    input: z.strictObject({
      holdings: z
        .enum(['true', 'false'])
        .optional()
        .meta({ description: 'true: what is held from earlier days too, each as a position of its own.', examples: ['false'] }),
    }),
    output: z.union([ExitPlan, Failure]),
  }),
  exitPositions: route({
    method: 'POST',
    path: '/broker/exits',
    summary: 'Exit positions',
    description:
      'Of each position: cancels the resting orders of the exit side, waits until they are known to be gone, then sends a reduce_only MARKET order of what is left, ' +
      'in pieces where the exchange takes no order so large. Never opens or flips a position; the kill switch lets it out. One that fails stops no other. ' +
      'A repeat with the same idempotency_key replays the report and sends nothing twice. Answers within 45 s.',
    input: ExitRequest,
    output: z.union([ExitReport, Failure]),
  }),
};
