/** Drives the official SDK, nothing changed but `root`, and prints what it made of the answers. */
import { KiteConnect } from 'kiteconnect';

const [root = ''] = process.argv.slice(2);
const results: Record<string, unknown> = {};

/** Keeps what a call resolved to, or the error it rejected with. */
async function keep<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  const outcome = await run().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  results[name] = outcome;
  return 'value' in outcome ? outcome.value : ({} as Result);
}

const page = await fetch(`${root}/connect/login?v=3&api_key=practicekey&redirect_params=state%3Dabc`, { redirect: 'manual' });
const location = new URL(page.headers.get('location') ?? '');
results.redirect = {
  status: page.status,
  host: location.hostname,
  state: location.searchParams.get('state'),
  said: location.searchParams.get('status'),
};
const requestToken = location.searchParams.get('request_token') ?? '';

const kite = new KiteConnect({ api_key: 'practicekey', root });
const impostor = new KiteConnect({ api_key: 'practicekey', root });
await keep('wrongSecret', () => impostor.generateSession(requestToken, 'wrong'));
await keep('session', () => kite.generateSession(requestToken, 'practicesecret'));
await keep('usedToken', () => impostor.generateSession(requestToken, 'practicesecret'));
impostor.setAccessToken('nonsense');
await keep('wrongToken', () => impostor.getProfile());

await keep('profile', () => kite.getProfile());
await keep('margins', () => kite.getMargins());
await keep('equity', () => kite.getMargins('equity'));
await keep('holdings', () => kite.getHoldings());
await keep('noPositions', () => kite.getPositions());
await keep('noOrders', () => kite.getOrders());
await keep('instruments', () => kite.getInstruments());
await keep('bseInstruments', () => kite.getInstruments('BSE'));
await keep('quote', () => kite.getQuote(['NSE:INFY', 'NSE:M&M', 'NSE:NOSUCH']));
await keep('ohlc', () => kite.getOHLC(['NSE:SBIN']));
await keep('ltp', () => kite.getLTP('NSE:SBIN'));

// The SDK's types do not know market_protection; its code sends every field it is given.
const atMarket = { order_type: 'MARKET', market_protection: -1 } as const;
const base = { exchange: 'NSE', tradingsymbol: 'SBIN', transaction_type: 'BUY', product: 'MIS', quantity: 10 } as const;
const market = await keep('market', () => kite.placeOrder('regular', { ...base, ...atMarket, tag: 'k3v9c0m2p7q1x8za' }));
const second = await keep('marketAgain', () => kite.placeOrder('regular', { ...base, ...atMarket, tag: 'z3v9c0m2p7q1x8za' }));
const limit = await keep('limit', () => kite.placeOrder('regular', { ...base, order_type: 'LIMIT', price: 790, tag: 'b1' }));
await keep('stop', () => kite.placeOrder('regular', { ...base, order_type: 'SL', price: 822, trigger_price: 820 }));
await keep('stopMarket', () => kite.placeOrder('regular', { ...base, ...atMarket, order_type: 'SL-M', trigger_price: 825 }));
const amo = await keep('amo', () => kite.placeOrder('amo', { ...base, order_type: 'LIMIT', price: 790 }));
await keep('modify', () => kite.modifyOrder('regular', limit.order_id, { price: 791, quantity: 12 }));
await keep('history', () => kite.getOrderHistory(limit.order_id));
await keep('cancel', () => kite.cancelOrder('regular', limit.order_id));
await keep('cancelAgain', () => kite.cancelOrder('regular', limit.order_id));
await keep('cancelByWrongVariety', () => kite.cancelOrder('regular', amo.order_id));
await keep('cancelAmo', () => kite.cancelOrder('amo', amo.order_id));
await keep('orders', () => kite.getOrders());
await keep('trades', () => kite.getTrades());
await keep('orderTrades', () => kite.getOrderTrades(market.order_id));
await keep('positions', () => kite.getPositions());
await keep('orderMargins', () => kite.orderMargins([{ ...base, variety: 'regular', order_type: 'LIMIT', price: 800, trigger_price: 0 }]));

await keep('unprotected', () => kite.placeOrder('regular', { ...base, order_type: 'MARKET' }));
await keep('missingField', () => kite.placeOrder('regular', { ...base, order_type: 'LIMIT', tradingsymbol: '' }));
await keep('longTag', () => kite.placeOrder('regular', { ...base, order_type: 'LIMIT', price: 790, tag: 'x'.repeat(21) }));
await keep('wrongProduct', () => kite.placeOrder('regular', { ...base, order_type: 'LIMIT', price: 790, product: 'NRML' }));
await keep('tooLarge', () => kite.placeOrder('regular', { ...base, order_type: 'LIMIT', price: 800, product: 'CNC', quantity: 100_000 }));
await keep('unknownOrder', () => kite.getOrderHistory('123'));
await keep('logout', () => kite.invalidateAccessToken());
await keep('afterLogout', () => kite.getProfile());

results.ids = { market: market.order_id, second: second.order_id };
process.stdout.write(JSON.stringify(results));
