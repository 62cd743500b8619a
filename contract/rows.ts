import { z } from 'zod';
import { orderStatuses } from './words.ts';

const symbol = z.string().meta({ description: 'Trading symbol, as the broker writes it.', examples: ['SBIN'] });
const exchange = z
  .string()
  .meta({ description: "NSE, BSE, NFO, BFO, MCX or CDS; another segment keeps the broker's word.", examples: ['NSE'] });
const product = z
  .string()
  .meta({ description: "INTRADAY, DELIVERY or CARRYFORWARD; another product keeps the broker's word.", examples: ['INTRADAY'] });
const side = z.string().meta({ description: 'BUY or SELL.', examples: ['BUY'] });
const token = z
  .string()
  .nullable()
  .meta({ description: "The broker's instrument token, when the row has one.", examples: ['779521'] });
const rupees = (what: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${what}, rupees; null when the broker does not say.`, examples: [812.35] });
const units = (what: string) => z.int().meta({ description: `${what}, in the broker's own unit (units or lots).`, examples: [10] });

/** What state an order is in, finer than a record's status: the fill poll tells a resting order from one still in transit. */
export const orderStates = ['TRANSIT', 'OPEN', 'TRIGGER_PENDING', 'FILLED', 'REJECTED', 'CANCELLED', 'EXPIRED', 'UNKNOWN'] as const;
export type OrderState = (typeof orderStates)[number];

export const OrderRow = z.object({
  order_id: z.string().meta({ description: 'Broker order id.', examples: ['1953341975595868160'] }),
  symbol,
  token,
  exchange,
  transaction_type: side,
  order_type: z.string().meta({
    description: 'MARKET, LIMIT, SL or SL-M, as the broker booked it: a protected MARKET order may read LIMIT.',
    examples: ['MARKET'],
  }),
  product_type: product,
  quantity: units('Quantity ordered'),
  filled_quantity: units('Quantity filled'),
  price: rupees('Limit price'),
  trigger_price: rupees('Trigger price'),
  average_price: rupees('Average price of the fills'),
  status: z.enum(orderStatuses).meta({ description: 'The state in the words of the order record.', examples: ['FILLED'] }),
  state: z.enum(orderStates).meta({
    description: 'The state in finer words: TRANSIT is accepted by the broker and not yet acknowledged by the exchange.',
    examples: ['FILLED'],
  }),
  status_message: z
    .string()
    .nullable()
    .meta({ description: 'Why the order is in this state, when the broker says.', examples: [null] }),
  tag: z
    .string()
    .nullable()
    .meta({ description: 'The correlation tag found on the order.', examples: ['k3v9c0m2p7q1x8za'] }),
  variety: z
    .string()
    .nullable()
    .meta({ description: "The broker's own variety word, when it has one.", examples: ['regular'] }),
  placed_at: z
    .string()
    .nullable()
    .meta({ description: 'When the broker took the order, UTC.', examples: ['2026-11-20T04:12:33.000Z'] }),
});
export type OrderRow = z.infer<typeof OrderRow>;

export const PositionRow = z.object({
  symbol,
  token,
  exchange,
  product_type: product,
  net_quantity: units('Net open quantity, positive long, negative short'),
  average_price: rupees('Average entry price'),
  last_price: rupees('Last traded price'),
  realized_pnl: rupees('Profit realised today'),
  unrealized_pnl: rupees('Profit not realised'),
  multiplier: z.number().meta({ description: 'Units one quantity stands for when money is computed.', examples: [1] }),
});
export type PositionRow = z.infer<typeof PositionRow>;

export const HoldingRow = z.object({
  symbol,
  token,
  exchange,
  isin: z
    .string()
    .nullable()
    .meta({ description: 'ISIN, when the broker sends it.', examples: ['INE062A01020'] }),
  quantity: units('Quantity held, unsettled shares included'),
  sellable_quantity: units(
    'Quantity that may be sold today, unsettled shares included where the broker lets them be sold, blocked ones left out',
  ),
  average_price: rupees('Average buying price'),
  last_price: rupees('Last traded price'),
  pnl: rupees('Profit against the average price'),
});
export type HoldingRow = z.infer<typeof HoldingRow>;

/** A row of a list that is missing from its normalized rows. */
export const UnreadableRow = z
  .object({
    row: z.unknown().meta({ description: "The broker's row, as in data.", examples: [{ tradingsymbol: 'SBIN', quantity: 'ten' }] }),
    reason: z.string().meta({ description: 'The field that cannot be read, and why.', examples: ['quantity must be a number'] }),
    exchange: exchange.nullable(),
    symbol: symbol.nullable(),
    token,
  })
  .meta({
    id: 'UnreadableRow',
    description: 'A row the gateway cannot read, with what can be read of its name: without symbol and token it may be any instrument.',
  });
export type UnreadableRow = z.infer<typeof UnreadableRow>;

export const unreadableRows = z
  .array(UnreadableRow)
  .readonly()
  .optional()
  .meta({ description: 'The rows of data that cannot be read and are missing from normalized; absent when there are none.' });

export const TradeRow = z.object({
  trade_id: z.string().meta({ description: 'Execution id of the exchange or broker.', examples: ['10000000'] }),
  order_id: z.string().meta({ description: 'Broker order id.', examples: ['1953341975595868160'] }),
  symbol,
  token,
  exchange,
  transaction_type: side,
  product_type: product,
  quantity: units('Quantity of this execution'),
  price: z.number().meta({ description: 'Price of this execution, rupees.', examples: [812.35] }),
  traded_at: z
    .string()
    .nullable()
    .meta({ description: 'When it traded, UTC.', examples: ['2026-11-20T04:12:33.000Z'] }),
});
export type TradeRow = z.infer<typeof TradeRow>;

const instrument = z
  .string()
  .nullable()
  .meta({ description: "The one name of its instrument; null where the broker's instrument file has none.", examples: ['NSE:SBIN'] });

/** A row as callers get it: with the one name of its instrument. `id` is its name among the schemas. */
function named<Shape extends z.core.$ZodLooseShape>(id: string, what: string, row: z.ZodObject<Shape>) {
  return row.extend({ instrument }).meta({ id, description: `One ${what} in words that are equal for all brokers.` });
}

export const NamedOrder = named('OrderRow', 'order', OrderRow);
export const NamedPosition = named('PositionRow', 'position', PositionRow);
export const NamedHolding = named('HoldingRow', 'holding', HoldingRow);
export const NamedTrade = named('TradeRow', 'execution', TradeRow);

/** A row with the one name of its instrument. */
export type Named<Row> = Row & { instrument: string | null };

export const FundsRow = z
  .object({ available: rupees('Free for new orders') })
  .meta({ id: 'FundsRow', description: 'The funds in words that are equal for all brokers.' });
export type FundsRow = z.infer<typeof FundsRow>;
