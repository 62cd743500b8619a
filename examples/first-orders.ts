/**
 * A share, an option and a future: found by what they are, bought at market, waited for, and sold again. The file is the same for all ten brokers: what
 * each calls an instrument is the gateway's business.
 *
 *   GATEWAY_TOKEN=$(cat data/token) node first-orders.ts
 */
import { createGateway, type Instrument } from 'broker-gateway-sdk';

const gateway = createGateway({ baseUrl: process.env.GATEWAY_URL ?? 'http://127.0.0.1:5000', token: process.env.GATEWAY_TOKEN ?? '' });

/** The first of what a search finds: contracts come by expiry and strike. */
async function first(query: Parameters<typeof gateway.instruments>[0]): Promise<Instrument> {
  const { instruments } = await gateway.instruments(query);
  const [found] = instruments;
  if (!found) throw new Error(`The broker lists nothing like ${JSON.stringify(query)}`);
  return found;
}

async function roundTrip({ instrument, exchange, symbol, kind, lot_size }: Instrument): Promise<void> {
  for (const side of ['BUY', 'SELL'] as const) {
    const order = await gateway.place({
      symbol,
      exchange,
      token: '',
      transaction_type: side,
      order_type: 'MARKET',
      product_type: kind === 'EQ' ? 'INTRADAY' : 'CARRYFORWARD',
      quantity: lot_size,
      reduce_only: side === 'SELL',
    });
    const { filled_quantity, average_price } = await order.filled();
    console.log(`${side} ${filled_quantity} ${instrument} at ${average_price}`);
  }
}

const share = await first({ q: 'ITC', exchange: 'NSE', kind: 'EQ' });
const future = await first({ exchange: 'NFO', underlying: 'NIFTY', kind: 'FUT' });
const { quotes } = await gateway.quotes([future.instrument]);
const level = quotes[0]?.last_price ?? 0;
// The strike next to the market, of the nearest expiry.
const { instruments: calls } = await gateway.instruments({
  exchange: 'NFO',
  underlying: 'NIFTY',
  kind: 'CE',
  expiry: future.expiry ?? '',
  limit: 500,
});
const [option] = calls.sort((a, b) => Math.abs((a.strike ?? 0) - level) - Math.abs((b.strike ?? 0) - level));

for (const one of option ? [share, option, future] : [share, future]) await roundTrip(one);
