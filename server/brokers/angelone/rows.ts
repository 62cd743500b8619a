import { z } from 'zod';
import { parseIst } from '../../clock.ts';
import { type HoldingRow, type OrderRow, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord, withOrderId } from '../listing.ts';
import { cost, decimal, instrument, istTime, maybeRupees, note, quantity, reversed, rupees, whole, word } from '../parse.ts';
import { orderAnswer, orderIdText, orderTypes, products, stateOf } from './wire.ts';

/** SmartAPI's rows -> ours. Prices in rupees. */

/** Prices are texts or numbers, and empty where there is none. */
const price = z.preprocess((value) => (value === '' ? null : value), rupees);
/** Rupees in which a space may follow the sign. */
const profit = z.preprocess((value) => (typeof value === 'string' ? value.replace(/^- /, '-') : value), maybeRupees);
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
  averageprice: cost,
  ordertag: note,
  updatetime: istTime,
  exchtime: istTime,
  exchorderupdatetime: istTime,
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
    const times = [row.updatetime, row.exchtime, row.exchorderupdatetime].filter((time) => time !== null);
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
      placed_at: times.sort()[0] ?? null,
    };
  });
}

/**
 * A row of getPosition -> ours: one flat list, carried and today's together. A multiplier of -1 means none. Where the average over both is missing,
 * that of today counts if nothing was carried.
 */
export const positionRow: z.ZodType<PositionRow> = z
  .looseObject({
    ...listed,
    producttype: word,
    netqty: whole,
    cfbuyqty: count,
    cfsellqty: count,
    totalbuyavgprice: cost,
    totalsellavgprice: cost,
    buyavgprice: cost,
    sellavgprice: cost,
    multiplier: decimal,
    ltp: maybeRupees,
    realised: profit,
    unrealised: profit,
  })
  .transform((row) => ({
    ...identity(row),
    product_type: ourProducts.get(row.producttype) ?? row.producttype,
    net_quantity: row.netqty,
    average_price: entryAverage(row),
    last_price: row.ltp,
    realized_pnl: row.realised,
    unrealized_pnl: row.unrealised,
    multiplier: row.multiplier > 0 ? row.multiplier : 1,
  }));

interface Legs {
  netqty: number;
  cfbuyqty: number;
  cfsellqty: number;
  totalbuyavgprice: number | null;
  totalsellavgprice: number | null;
  buyavgprice: number | null;
  sellavgprice: number | null;
}

function entryAverage(row: Legs): number | null {
  if (row.netqty === 0) return null;
  if (row.netqty > 0) return row.totalbuyavgprice ?? (row.cfbuyqty === 0 ? row.buyavgprice : null);
  return row.totalsellavgprice ?? (row.cfsellqty === 0 ? row.sellavgprice : null);
}

/** A row of getAllHolding -> ours. Whether `quantity` holds the shares not yet delivered is not said: the larger reading counts. */
export const holdingRow: z.ZodType<HoldingRow> = z
  .looseObject({
    ...listed,
    isin: note,
    quantity,
    realisedquantity: count,
    t1quantity: count,
    averageprice: cost,
    ltp: maybeRupees,
    profitandloss: profit,
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
