import { z } from 'zod';
import { Failure, maybeText, NOT_DOTS_ALONE, passThrough, passThroughList, price, quantity, text } from './common.ts';
import { route } from './route.ts';
import { NamedOrder, NamedTrade, unreadableRows } from './rows.ts';
import { FillStatus } from './words.ts';

const variety = maybeText(40)
  .default('NORMAL')
  .meta({ description: 'NORMAL, STOPLOSS or AMO.', examples: ['NORMAL'] });
/** Something beside dots: a dot segment in a broker's address would name something else than an order. */
const orderId = text()
  .refine((id) => /[^.]/.test(id), 'must be the id of an order')
  .meta({
    description: 'Broker order id.',
    examples: ['1953341975595868160'],
    override: { pattern: NOT_DOTS_ALONE },
  });

export const PlaceOrderRequest = z
  .strictObject({
    symbol: text().meta({
      description:
        "Trading symbol: the broker's own, or the one name of the instrument at every broker, as GET /broker/instruments tells it.",
      examples: ['SBIN'],
    }),
    token: maybeText().meta({
      description:
        "The broker's instrument token. May be empty where the gateway has the broker's instrument file, and at brokers that go by symbol.",
      examples: ['779521'],
    }),
    exchange: text().meta({ description: 'NSE, BSE, NFO, BFO, MCX or CDS.', examples: ['NSE'] }),
    transaction_type: text().meta({ description: 'BUY or SELL.', examples: ['BUY'] }),
    order_type: text().meta({ description: 'MARKET, LIMIT, SL or SL-M.', examples: ['MARKET'] }),
    product_type: text().meta({ description: 'INTRADAY, DELIVERY or CARRYFORWARD.', examples: ['INTRADAY'] }),
    quantity: quantity().meta({ description: "Number of shares or lots, in the broker's own unit for the exchange.", examples: [10] }),
    price: price()
      .default(0)
      .meta({ description: 'Limit price in rupees; 0 for MARKET.', examples: [0] }),
    trigger_price: price()
      .default(0)
      .meta({ description: 'Trigger price in rupees for SL orders; 0 otherwise.', examples: [0] }),
    variety,
    idempotency_key: z.string().max(4096).nullish().meta({
      description:
        'Caller-chosen key. A repeat with the same key replays the stored answer and places nothing. Without one the order itself is the key for 60 s.',
    }),
    reduce_only: z
      .boolean()
      .default(false)
      .meta({
        description:
          'true: the order passes only when it cannot open or flip a position: quantity plus own orders of that side under way and resting ' +
          "must fit into the product's net quantity. Otherwise it is BLOCKED, and that answer is not stored.",
        examples: [false],
      }),
    strategy: text(64)
      .nullish()
      .meta({
        description:
          'What placed the order, for the records of the order, of the position it opens and of what that earns. Not a part of what makes orders equal.',
        examples: ['breakout'],
      }),
    ai_confidence: z
      .number()
      .min(0)
      .max(1)
      .nullish()
      .meta({ description: 'How sure the strategy is, 0 to 1; recorded beside its name with four decimals.', examples: [0.72] }),
  })
  .meta({ id: 'PlaceOrderRequest', description: 'An order to place.' });
export type PlaceOrderRequest = z.infer<typeof PlaceOrderRequest>;

const placed = {
  order_id: z
    .string()
    .optional()
    .meta({ description: 'Broker order id; empty when none.', examples: ['1953341975595868160'] }),
  message: z
    .string()
    .optional()
    .meta({ description: 'Why the order was refused, what to do about a MARKET order that rests, or what the broker said.' }),
  fill_status: FillStatus,
  filled_quantity: z
    .number()
    .optional()
    .meta({ description: 'Quantity filled; present when a fill poll ran.', examples: [10] }),
  avg_fill_price: z
    .number()
    .optional()
    .meta({ description: 'Average fill price in rupees; present when a fill poll ran, 0 while nothing filled.', examples: [812.35] }),
  data: z.unknown().optional().meta({ description: "The broker's own payload, untouched." }),
};

export const OrderAccepted = z
  .looseObject({
    success: z.literal(true).meta({ description: 'The broker accepted the order. Trust fill_status for what became of it.' }),
    ...placed,
  })
  .meta({ id: 'OrderAccepted', description: 'The order was accepted; fill_status tells what became of it.' });

export const OrderRefused = z
  .looseObject({
    success: z.literal(false).meta({ description: 'No accepted order is known. With fill_status UNKNOWN one may still appear.' }),
    status: z
      .string()
      .optional()
      .meta({ description: 'BLOCKED when the one-symbol-one-position rule or reduce_only stopped the order.', examples: ['BLOCKED'] }),
    ...placed,
    fill_status: FillStatus.optional().meta({
      description: 'REJECTED: no order lives. UNKNOWN: not settled yet. Absent when the gateway itself refused before trying.',
    }),
  })
  .meta({ id: 'OrderRefused', description: 'The order was rejected, blocked, refused by the gateway, or is still unknown.' });

export const PlaceOrderResult = z
  .union([OrderAccepted, OrderRefused])
  .meta({ id: 'PlaceOrderResult', description: 'What became of the order.' });
export type PlaceOrderResult = z.infer<typeof PlaceOrderResult>;

export const ModifyOrderRequest = z
  .strictObject({
    order_id: orderId,
    variety,
    order_type: text()
      .nullish()
      .meta({ description: 'New order type; left as it is when absent.', examples: ['LIMIT'] }),
    quantity: quantity()
      .nullish()
      .meta({ description: 'New quantity; left as it is when absent.', examples: [20] }),
    price: price()
      .nullish()
      .meta({ description: 'New limit price in rupees; left as it is when absent.', examples: [812.5] }),
    trigger_price: price()
      .nullish()
      .meta({ description: 'New trigger price in rupees; left as it is when absent.', examples: [810] }),
  })
  .meta({ id: 'ModifyOrderRequest', description: 'What to change in an open order.' });
export type ModifyOrderRequest = z.infer<typeof ModifyOrderRequest>;

export const CancelOrderRequest = z
  .strictObject({ order_id: orderId, variety })
  .meta({ id: 'CancelOrderRequest', description: 'The order to cancel.' });
export type CancelOrderRequest = z.infer<typeof CancelOrderRequest>;

const exampleRow = { order_id: '1953341975595868160', tradingsymbol: 'SBIN', status: 'COMPLETE' };
const changed = (id: string, what: string) =>
  z.union([
    passThrough(id, `The broker took the ${what} request; read the order to see it done.`, { order_id: exampleRow.order_id }),
    Failure,
  ]);

export const orderRoutes = {
  placeOrder: route({
    method: 'POST',
    path: '/broker/orders/place',
    summary: 'Place an order, once',
    description:
      'Sends the order to the broker at most once and answers with the real fill state. A repeat with the same idempotency_key (or, without one, the same order within 60 s) replays the stored answer byte for byte, with the header Idempotency-Replayed. ' +
      'An open position in the symbol blocks a further entry on the same side, and so does an order whose fate is not known yet. ' +
      'An order that only reduces its position always passes; a larger one on the opposite side flips the position, unless reduce_only is true.',
    input: PlaceOrderRequest,
    output: PlaceOrderResult,
  }),
  modifyOrder: route({
    method: 'POST',
    path: '/broker/orders/modify',
    summary: 'Modify an open order',
    description: 'Sends only the fields that are given. Sent once, never repeated; an unclear outcome is said in the message.',
    input: ModifyOrderRequest,
    output: changed('ModifyOrderResult', 'change'),
  }),
  cancelOrder: route({
    method: 'POST',
    path: '/broker/orders/cancel',
    summary: 'Cancel an open order',
    description: 'Sent once, never repeated; an unclear outcome is said in the message. The variety is accepted and not forwarded.',
    input: CancelOrderRequest,
    output: changed('CancelOrderResult', 'cancel'),
  }),
  listOrders: route({
    method: 'GET',
    path: '/broker/orders',
    summary: "List the day's orders",
    description: "The broker's own order list, with the same rows in the gateway's words beside it.",
    input: z.strictObject({}),
    output: z.union([passThroughList('OrderList', "The broker's order list.", NamedOrder, exampleRow), Failure]),
  }),
  getOrder: route({
    method: 'GET',
    path: '/broker/orders/{order_id}',
    summary: 'Get one order',
    description: "The order object of the broker's order list whose id equals the path.",
    input: z.strictObject({ order_id: orderId }),
    output: z.union([passThrough('OrderFound', 'The order object, as the broker lists it.', exampleRow, NamedOrder), Failure]),
  }),
  getTradebook: route({
    method: 'GET',
    path: '/broker/tradebook',
    summary: "List the day's executions",
    description: 'The trade book of the active broker.',
    input: z.strictObject({}),
    output: z.union([
      z
        .looseObject({
          success: z.literal(true),
          message: z.string().optional(),
          data: z
            .unknown()
            .meta({ description: "The broker's own trade book, untouched.", examples: [[{ trade_id: '10000000', quantity: 10 }]] }),
          normalized: z.array(NamedTrade).optional().meta({ description: 'The same rows in words that are equal for all brokers.' }),
          unreadable: unreadableRows,
        })
        .meta({ id: 'TradeBook', description: "The day's executions." }),
      Failure,
      z.array(z.unknown()).meta({ id: 'BareTradeBook', description: "A bare list, when the broker's native client answers with one." }),
    ]),
  }),
};
