/**
 * Two shares that mostly move together. When one has become dear beside the other it is sold and the other bought; when they are back together both are
 * closed. Runs unchanged at every broker: only names both brokers and the gateway know are used.
 *
 *   GATEWAY_TOKEN=$(cat data/token) node pair.ts NSE:HDFCBANK NSE:ICICIBANK
 *
 * ROUNDS=1 ends it after one pair of entries and exits. ENTRY and EXIT are in standard deviations of the ratio over the last WINDOW prices.
 */
import { createGateway } from 'broker-gateway-sdk';

const [first = 'NSE:HDFCBANK', second = 'NSE:ICICIBANK'] = process.argv.slice(2);
const value = Number(process.env.RUPEES ?? 50_000);
const rounds = Number(process.env.ROUNDS ?? Number.POSITIVE_INFINITY);
const [window, entry, exit] = [Number(process.env.WINDOW ?? 60), Number(process.env.ENTRY ?? 2), Number(process.env.EXIT ?? 0.5)];

const gateway = createGateway({ baseUrl: process.env.GATEWAY_URL ?? 'http://127.0.0.1:5000', token: process.env.GATEWAY_TOKEN ?? '' });
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

type Side = 'BUY' | 'SELL';
interface Leg {
  instrument: string;
  side: Side;
  quantity: number;
}

const opposite: Record<Side, Side> = { BUY: 'SELL', SELL: 'BUY' };
const last = new Map<string, number>();
const ratios: number[] = [];
let legs: Leg[] = [];
let done = 0;

/** Both orders go at once; what has filled stays, whatever becomes of the other. */
async function trade(wanted: readonly Leg[], closing: boolean): Promise<Leg[]> {
  const outcomes = await Promise.allSettled(
    wanted.map(async ({ instrument, side, quantity }) => {
      const [exchange = '', symbol = ''] = instrument.split(':');
      const order = await gateway.place({
        symbol,
        exchange,
        token: '',
        transaction_type: side,
        order_type: 'MARKET',
        product_type: 'INTRADAY',
        quantity,
        reduce_only: closing,
        strategy: 'pair',
      });
      const { average_price } = await order.filled();
      console.log(`${side} ${quantity} ${instrument} at ${average_price}`);
    }),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') console.log(String(outcome.reason));
  return wanted.filter((_, index) => outcomes[index]?.status === 'fulfilled');
}

/** Closes what is open, until nothing is. */
async function close(): Promise<void> {
  const exits = () => legs.map((leg) => ({ ...leg, side: opposite[leg.side] }));
  while (legs.length > 0) {
    const gone = new Set((await trade(exits(), true)).map(({ instrument }) => instrument));
    legs = legs.filter(({ instrument }) => !gone.has(instrument));
  }
}

/** How far the ratio is from its usual, in standard deviations. */
function distance(ratio: number): number {
  const mean = ratios.reduce((sum, each) => sum + each, 0) / ratios.length;
  const variance = ratios.reduce((sum, each) => sum + (each - mean) ** 2, 0) / ratios.length;
  return variance === 0 ? 0 : (ratio - mean) / Math.sqrt(variance);
}

for await (const message of gateway.stream({ instruments: [first, second], signal: stop.signal })) {
  if (message.topic !== 'tick' || message.quote.last_price === null) continue;
  last.set(message.quote.instrument, message.quote.last_price);
  const [a, b] = [last.get(first), last.get(second)];
  if (a === undefined || b === undefined) continue;
  ratios.push(a / b);
  if (ratios.length > window) ratios.shift();
  if (ratios.length < window) continue;
  const away = distance(a / b);
  if (legs.length === 0 && Math.abs(away) >= entry) {
    const side: Side = away > 0 ? 'SELL' : 'BUY';
    const wanted = [
      { instrument: first, side, quantity: Math.max(1, Math.round(value / a)) },
      { instrument: second, side: opposite[side], quantity: Math.max(1, Math.round(value / b)) },
    ];
    legs = await trade(wanted, false);
    // One leg alone is no pair.
    if (legs.length === 1) await close();
  } else if (legs.length > 0 && Math.abs(away) <= exit) {
    await close();
    done += 1;
    if (done >= rounds) break;
  }
}
await close();
