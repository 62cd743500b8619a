import { z } from 'zod';
import { istText } from '../../clock.ts';
import type { ExchangeOrder } from '../types.ts';
import type { OrderView, TradeView } from '../views.ts';
import { readJson } from '../wire/message.ts';
import type { Link, Talk } from '../wire/stream.ts';
import { credentials } from './login.ts';
import { orderRow, statusOf } from './rows.ts';
import { segmentLetters } from './words.ts';

/** Dhan's order updates: JSON, after a sign-in by a message. */

const LoginReq = z.object({ LoginReq: z.object({ MsgCode: z.literal(42), ClientId: z.string(), Token: z.string() }) });

/** Says nothing to a login it takes. How one it refuses reads is not documented: here as over REST, then the end. */
export function orderTalk(link: Link, lives: (token: string) => boolean): Talk {
  let signedIn = false;
  return {
    message(frame) {
      const login = LoginReq.safeParse(readJson(frame.toString())).data?.LoginReq;
      signedIn = !link.refused && login?.ClientId === credentials.CLIENT_ID && lives(login.Token);
      if (signedIn) return;
      const errorMessage = 'Client ID or user generated access token is invalid or expired.';
      link.send(JSON.stringify({ errorType: 'Invalid_Authentication', errorCode: 'DH-901', errorMessage }));
      link.close();
    },
    order: (order, trade) => (signedIn && isTold(order) ? [JSON.stringify(alert(order, trade))] : []),
  };
}

/** What the exchange has acknowledged: neither a request in transit nor one to change or cancel. */
function isTold(order: ExchangeOrder): boolean {
  return statusOf(order) !== 'TRANSIT' && !['MODIFY_VALIDATION', 'MODIFY_PENDING', 'CANCEL_PENDING'].includes(order.state);
}

const productLetters = { INTRADAY: 'I', DELIVERY: 'C', CARRYFORWARD: 'M' } as const;
const typeWords = { MARKET: 'MKT', LIMIT: 'LMT', SL: 'SL', 'SL-M': 'SLM' } as const;

/** The keys as they are seen on the wire; the documents print them with capitals. */
function alert(order: OrderView, trade: TradeView | undefined): object {
  const { instrument } = order;
  const row = orderRow(order);
  const [exchange, segment] = segmentLetters[order.exchange];
  const status = statusOf(order);
  const data = {
    exchange,
    segment,
    source: 'P',
    securityId: row.securityId,
    clientId: credentials.CLIENT_ID,
    exchOrderNo: row.exchangeOrderId,
    orderNo: order.orderId,
    product: productLetters[order.product],
    txnType: order.side === 'BUY' ? 'B' : 'S',
    orderType: typeWords[order.orderType],
    validity: order.validity,
    discQuantity: row.disclosedQuantity,
    remainingQuantity: row.remainingQuantity,
    quantity: order.quantity,
    tradedQty: order.filled,
    price: row.price,
    triggerPrice: row.triggerPrice,
    tradedPrice: Number(trade?.price ?? 0),
    avgTradedPrice: row.averageTradedPrice,
    offMktFlag: order.variety === 'AMO' ? '1' : '0',
    orderDateTime: row.createTime,
    exchOrderTime: row.exchangeTime,
    lastUpdatedTime: istText(order.updatedAt),
    reasonDescription: row.omsErrorDescription,
    legNo: 1,
    symbol: row.tradingSymbol,
    displayName: instrument.name,
    isin: instrument.isin ?? 'NA',
    status: status.slice(0, 1) + status.slice(1).toLowerCase(),
    correlationId: row.correlationId ?? '',
    remarks: '',
  };
  return { Data: data, Type: 'order_alert' };
}
