/** A strategy as a user writes it. pack.test.ts copies it beside the installed package, type-checks and runs it. */
import { createGateway, GatewayError, type OrderRow, type PlacedOrder, type PlaceOrderRequest } from '../../sdk/index.ts';

const gateway = createGateway({ baseUrl: process.env.GATEWAY_URL ?? '', token: process.env.GATEWAY_TOKEN ?? '' });

const entry: PlaceOrderRequest = {
  symbol: 'SBIN',
  token: '779521',
  exchange: 'NSE',
  transaction_type: 'BUY',
  order_type: 'MARKET',
  product_type: 'INTRADAY',
  quantity: 10,
};

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'none';
  } catch (error) {
    return error instanceof GatewayError ? error.code : 'another error';
  }
}

const placed: PlacedOrder = await gateway.place(entry);
const fill: 'FILLED' | 'PARTIALLY_FILLED' | 'PENDING' | 'UNKNOWN' = placed.fill_status;
const again = await gateway.place({ ...entry, idempotency_key: placed.idempotencyKey });
const open: OrderRow[] = (await gateway.orders()).normalized.filter(({ state }) => state === 'OPEN');
const rows = (await gateway.positions()).normalized.filter((row) => row.symbol === entry.symbol);
const net: number = rows.reduce((sum, row) => sum + row.net_quantity, 0);
await gateway.place({ ...entry, transaction_type: 'SELL' });

// @ts-expect-error a side and a quantity are missing
const incomplete = await codeOf(gateway.place({ symbol: 'SBIN', token: '1', exchange: 'NSE', order_type: 'MARKET', product_type: 'X' }));
// @ts-expect-error a quantity is a number
const wrong = await codeOf(gateway.place({ ...entry, quantity: '10' }));

console.log(
  JSON.stringify({
    fill,
    same: again.order_id === placed.order_id && again.replayed,
    open: open.length,
    net,
    settled: (await gateway.lookup(placed.idempotencyKey))?.order_id === placed.order_id,
    never: await gateway.lookup('never placed'),
    brokers: (await gateway.supported()).count,
    incomplete,
    wrong,
    stranger: await codeOf(createGateway({ baseUrl: process.env.GATEWAY_URL ?? '', token: 'not-a-token' }).funds()),
  }),
);
