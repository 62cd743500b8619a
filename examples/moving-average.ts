/**
 * Buys when the fast average of an instrument's price crosses above the slow one, and sells when it crosses below: never more than one position, every
 * order waited for. Prices come by the stream, and so do fills. Practice mode needs no login: `npm start`, then
 *
 *   GATEWAY_TOKEN=$(cat data/token) node moving-average.ts NSE:SBIN 10
 *
 * ROUNDS=3 ends it after three round trips; without it runs until Ctrl-C, and sells what it holds before it goes.
 */
import { createGateway, GatewayError, type PlacedOrder } from 'broker-gateway-sdk';

const [instrument = 'NSE:SBIN', quantityText = '10'] = process.argv.slice(2);
const [exchange = '', symbol = ''] = instrument.split(':');
const quantity = Number(quantityText);
const rounds = Number(process.env.ROUNDS ?? Number.POSITIVE_INFINITY);
const [fastTicks, slowTicks] = [Number(process.env.FAST ?? 8), Number(process.env.SLOW ?? 21)];

const gateway = createGateway({ baseUrl: process.env.GATEWAY_URL ?? 'http://127.0.0.1:5000', token: process.env.GATEWAY_TOKEN ?? '' });
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

/** Prices in rupees, the newest last; never more than the slow average needs. */
const prices: number[] = [];
const average = (count: number) => prices.slice(-count).reduce((sum, price) => sum + price, 0) / count;

async function trade(side: 'BUY' | 'SELL'): Promise<PlacedOrder> {
  const order = await gateway.place({
    symbol,
    exchange,
    token: '',
    transaction_type: side,
    order_type: 'MARKET',
    product_type: 'INTRADAY',
    quantity,
    // A sale here only ever closes: it cannot open a short position, whatever happened meanwhile.
    reduce_only: side === 'SELL',
    strategy: 'moving-average',
  });
  const { filled_quantity, average_price } = await order.filled();
  console.log(`${side} ${filled_quantity} ${instrument} at ${average_price}`);
  return order;
}

let holding = false;
let done = 0;
let wasAbove: boolean | null = null;

for await (const message of gateway.stream({ instruments: [instrument], signal: stop.signal })) {
  if (message.topic !== 'tick') {
    if (message.topic === 'notice' || message.topic === 'session')
      console.log(`${message.event.kind} ${JSON.stringify(message.event.detail)}`);
    continue;
  }
  const { last_price } = message.quote;
  if (last_price === null) continue;
  prices.push(last_price);
  if (prices.length > slowTicks) prices.shift();
  if (prices.length < slowTicks) continue;
  const isAbove = average(fastTicks) > average(slowTicks);
  const crossed = wasAbove !== null && isAbove !== wasAbove;
  wasAbove = isAbove;
  if (!crossed || isAbove === holding) continue;
  try {
    await trade(isAbove ? 'BUY' : 'SELL');
    holding = isAbove;
    if (!holding) done += 1;
  } catch (error) {
    // Blocked, rejected: no order lives, and the next crossing tries again. Anything else a person must look at.
    if (!(error instanceof GatewayError) || !['blocked', 'rejected', 'busy'].includes(error.code)) throw error;
    console.log(`${error.code}: ${error.message}`);
  }
  if (done >= rounds) break;
}
if (holding) await trade('SELL');
