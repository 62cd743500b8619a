import { z } from 'zod';
import type { Exchange, OrderType, ProductType, TransactionType, Variety } from '../../../contract/words.ts';
import { parseIst } from '../../clock.ts';
import { type HoldingRow, type OrderRow, type OrderState, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord, withOrderId } from '../listing.ts';
import { decimal, instrument, note, quantity, reversed, rupees, whole, word } from '../parse.ts';

/** SmartAPI's words for ours. */
export const exchanges = { NSE: 'NSE', BSE: 'BSE', NFO: 'NFO', MCX: 'MCX', CDS: 'CDS' } as const satisfies Record<Exchange, string>;
export const sides = { BUY: 'BUY', SELL: 'SELL' } as const satisfies Record<TransactionType, string>;
export const orderTypes = {
  MARKET: 'MARKET',
  LIMIT: 'LIMIT',
  SL: 'STOPLOSS_LIMIT',
  'SL-M': 'STOPLOSS_MARKET',
} as const satisfies Record<OrderType, string>;
export const products = {
  INTRADAY: 'INTRADAY',
  DELIVERY: 'DELIVERY',
  CARRYFORWARD: 'CARRYFORWARD',
} as const satisfies Record<ProductType, string>;
/** A stop must be in a variety of its own, which follows from the order type; what comes after hours becomes AMO by itself. */
export const varieties = { NORMAL: 'NORMAL', STOPLOSS: 'STOPLOSS', AMO: 'NORMAL' } as const satisfies Record<Variety, string>;

/** An order being changed or cancelled rests at the exchange; one only requested or validated has not reached it. */
const states: Readonly<Record<string, OrderState>> = {
  complete: 'FILLED',
  rejected: 'REJECTED',
  cancelled: 'CANCELLED',
  'cancelled after market order': 'CANCELLED',
  'amo cancelled': 'CANCELLED',
  open: 'OPEN',
  modified: 'OPEN',
  'not modified': 'OPEN',
  'not cancelled': 'OPEN',
  'modify pending': 'OPEN',
  'modify validation pending': 'OPEN',
  'cancel pending': 'OPEN',
  'trigger pending': 'TRIGGER_PENDING',
  'open pending': 'TRANSIT',
  'validation pending': 'TRANSIT',
  'put order req received': 'TRANSIT',
  // Held by the broker until the market opens: it rests, and polling on would learn nothing before then.
  'after market order req received': 'OPEN',
  'modify after market order req received': 'OPEN',
};

function stateOf(status: string): OrderState {
  const text = status.trim().toLowerCase();
  return (Object.hasOwn(states, text) ? states[text] : undefined) ?? 'UNKNOWN';
}

/** A flag that the documents also print as text, where "false" would be truthy. */
const flag = z.union([z.boolean(), z.enum(['true', 'false'])]).transform((value) => String(value) === 'true');
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** Success with an error code beside it is neither: `done` is false and no `code` vouches for a refusal. */
function outcome(said: boolean, code: string, message: string, data: unknown) {
  return { done: said && code === '', code: said ? '' : code, message: [message, code].filter(Boolean).join(', ') || 'no message', data };
}

/** Body of every answer, in the shape of the services or in that of the gateway before them. */
export const envelope = z.union([
  z
    .looseObject({ status: flag, message: text, errorcode: text, data: z.unknown() })
    .transform((body) => outcome(body.status, body.errorcode, body.message, body.data)),
  z
    .looseObject({ success: flag, message: text, errorCode: text, data: z.unknown() })
    .transform((body) => outcome(body.success, body.errorCode, body.message, body.data)),
]);
export type Body = z.output<typeof envelope>;

/** The token is invalid, expired or missing, or the session behind it is gone. */
const deadLogin = ['AG8001', 'AG8002', 'AG8003', 'AB1010', 'AB1011'];
/** Refusals after which nothing was done. AB1007 is a catch-all and AB1004, AB2000, AB2001 are internal: those leave it open. */
const definite = [...deadLogin, 'AG7002', 'AB1005', 'AB1006', 'AB1008', 'AB1009', 'AB1012', 'AB1018', 'AB2002', 'AB4008'];

export function isDefinite(code: string): boolean {
  return definite.includes(code);
}

export function isExpired(code: string): boolean {
  return deadLogin.includes(code);
}

/** The rate refusal is a plain text; HTTP 403 alone says nothing. */
export function isRateRefusal(status: number, body: string): boolean {
  return status === 403 && /^\s*access denied because of exceeding access rate/i.test(body);
}

/** Order ids are texts, digits or not; some samples print a number, which is an id only while it is exact. */
const orderIdText = z.union([word, z.int().transform(String)]);

export const orderAnswer = z.looseObject({ orderid: orderIdText });
export const profile = z.looseObject({ clientcode: word });
export const session = z.looseObject({ jwtToken: word, feedToken: note });
export const allHoldings = z.looseObject({ holdings: z.array(z.unknown()).nullable() });
/** How later calls name an order. */
export const orderName = z.looseObject({ orderid: orderIdText, uniqueorderid: note, variety: word });

/** `20-Oct-2020 13:10:59` in India -> epoch ms; null for anything else. */
function bookTime(value: string | null): number | null {
  const [, day, month, year, time] = /^(\d{2})-([A-Z][a-z]{2})-(\d{4}) (\d{2}:\d{2}:\d{2})$/.exec(value ?? '') ?? [];
  const index = 'JanFebMarAprMayJunJulAugSepOctNovDec'.indexOf(month ?? '-');
  return index < 0 ? null : parseIst(`${year}-${String(index / 3 + 1).padStart(2, '0')}-${day} ${time}`);
}

/** Prices are texts or numbers, and empty where there is none. */
const price = z.preprocess((value) => (value === '' ? null : value), rupees);
const optional = z.preprocess((value) => (value === undefined || value === '' ? null : value), rupees);
const count = z.preprocess((value) => value ?? 0, quantity);

export const ourTypes = reversed(orderTypes);
const ourProducts = reversed(products);
const side = z.enum(['BUY', 'SELL']);
const listed = { tradingsymbol: word, exchange: word, symboltoken: instrument };

function identity(row: { tradingsymbol: string; exchange: string; symboltoken: string | null }) {
  return { symbol: row.tradingsymbol, token: row.symboltoken, exchange: row.exchange };
}

/** Where any row has its name. */
export const rowName: RowName = z.looseObject({ tradingsymbol: seenWord, exchange: seenWord, symboltoken: seenToken }).transform(identity);

/** The broker's order row with its id under our name too. */
export const withId = withOrderId(orderAnswer.transform(({ orderid }) => orderid));

const orderBody = z.looseObject({
  ...listed,
  orderid: orderIdText,
  uniqueorderid: note,
  orderstatus: note,
  status: note,
  text: note,
  transactiontype: side,
  ordertype: word,
  producttype: word,
  variety: word,
  duration: note,
  quantity,
  filledshares: quantity,
  price,
  triggerprice: price,
  averageprice: price,
  ordertag: note,
  updatetime: note,
  exchtime: note,
  exchorderupdatetime: note,
});

/** What a change must know of the order it means, in SmartAPI's words. */
export const bookedOrder = orderBody.transform((row) => ({ ...row, state: stateOf(row.orderstatus ?? row.status ?? '') }));
export type BookedOrder = z.output<typeof bookedOrder>;

/** A row of getOrderBook -> ours. `orderstatus` can be empty, then `status` counts. No field is the time of entry: the earliest stands in. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return orderBody.transform((row, ctx) => {
    const status = row.orderstatus ?? row.status;
    if (status === null) {
      ctx.addIssue({ code: 'custom', path: ['orderstatus'], message: 'must not be empty beside an empty status' });
      return z.NEVER;
    }
    const state = stateOf(status);
    if (state === 'UNKNOWN') onUnknown('order status', status);
    const times = [row.updatetime, row.exchtime, row.exchorderupdatetime].flatMap((value) => bookTime(value) ?? []);
    return {
      order_id: row.orderid,
      ...identity(row),
      transaction_type: row.transactiontype,
      order_type: ourTypes.get(row.ordertype) ?? row.ordertype,
      product_type: ourProducts.get(row.producttype) ?? row.producttype,
      quantity: row.quantity,
      filled_quantity: row.filledshares,
      price: row.price,
      trigger_price: row.triggerprice,
      average_price: row.averageprice,
      status: statusOf(state, row.filledshares),
      state,
      status_message: row.text,
      tag: row.ordertag,
      variety: row.variety,
      placed_at: times.length > 0 ? new Date(Math.min(...times)).toISOString() : null,
    };
  });
}

/** Profit is one figure: all realised when flat, all unrealised when only one side traded, else not to be told apart. */
function profit(net: number, bought: number, sold: number, pnl: number | null) {
  if (net === 0) return { realized_pnl: pnl, unrealized_pnl: pnl === null ? null : 0 };
  if (bought > 0 && sold > 0) return { realized_pnl: null, unrealized_pnl: null };
  return { realized_pnl: pnl === null ? null : 0, unrealized_pnl: pnl };
}

/** A row of getPosition -> ours: one flat list, carried and today's together. A multiplier of -1 means none. */
export const positionRow: z.ZodType<PositionRow> = z
  .looseObject({
    ...listed,
    producttype: word,
    netqty: whole,
    buyqty: quantity,
    sellqty: quantity,
    cfbuyqty: count,
    cfsellqty: count,
    totalbuyavgprice: optional,
    totalsellavgprice: optional,
    multiplier: decimal,
    ltp: optional,
    pnl: optional,
  })
  .transform((row) => ({
    ...identity(row),
    product_type: ourProducts.get(row.producttype) ?? row.producttype,
    net_quantity: row.netqty,
    average_price: row.netqty === 0 ? null : row.netqty > 0 ? row.totalbuyavgprice : row.totalsellavgprice,
    last_price: row.ltp,
    ...profit(row.netqty, row.buyqty + row.cfbuyqty, row.sellqty + row.cfsellqty, row.pnl),
    multiplier: row.multiplier > 0 ? row.multiplier : 1,
  }));

/** A row of getAllHolding -> ours. Whether `quantity` holds the shares not yet delivered is not said: the larger reading counts. */
export const holdingRow: z.ZodType<HoldingRow> = z
  .looseObject({
    ...listed,
    isin: note,
    quantity,
    realisedquantity: count,
    t1quantity: count,
    averageprice: price,
    ltp: optional,
    profitandloss: optional,
  })
  .transform((row) => ({
    ...identity(row),
    isin: row.isin,
    quantity: Math.max(row.quantity, row.realisedquantity + row.t1quantity),
    sellable_quantity: Math.max(row.quantity, row.realisedquantity + row.t1quantity),
    average_price: row.averageprice,
    last_price: row.ltp,
    pnl: row.profitandloss,
  }));

/** A row of getTradeBook -> ours. It tells the time without the day: `latest` (epoch ms) gives the last day on which it can have been. */
export function tradeSchema(today: string, latest: number): z.ZodType<TradeRow> {
  return z
    .looseObject({
      ...listed,
      fillid: word,
      orderid: orderIdText,
      transactiontype: side,
      producttype: word,
      fillsize: quantity,
      fillprice: decimal,
      filltime: note,
    })
    .transform((row) => {
      const at = parseIst(`${today} ${row.filltime}`);
      return {
        trade_id: row.fillid,
        order_id: row.orderid,
        ...identity(row),
        transaction_type: row.transactiontype,
        product_type: ourProducts.get(row.producttype) ?? row.producttype,
        quantity: row.fillsize,
        price: row.fillprice,
        traded_at: at === null ? null : new Date(at > latest ? at - 86_400_000 : at).toISOString(),
      };
    });
}
