/** Drives the official SDK, nothing changed but `root`, and prints what it made of the answers. */
import { createRequire } from 'node:module';

type Answer = Record<string, unknown>;
type Client = Record<string, (...params: unknown[]) => Promise<Answer>>;

const require = createRequire(import.meta.url);
const sdk = createRequire(require.resolve('smartapi-javascript'));
// The SDK asks public name servers for this machine's address; a test asks nobody.
sdk('public-ip').v4 = async () => '127.0.0.1';
const { SmartAPI }: { SmartAPI: new (params: Record<string, unknown>) => Client } = require('smartapi-javascript');

const [root = '', client = '', pin = '', totp = ''] = process.argv.slice(2);
const results: Record<string, unknown> = {};
const api = new SmartAPI({ api_key: 'practicekey', root });

/** Keeps what a call of the SDK resolved to. */
async function keep(name: string, from: Client, call: string, ...params: unknown[]): Promise<Answer> {
  const answer = (await from[call]?.(...params)) ?? {};
  results[name] = answer;
  return answer;
}

/** A member of an answer's data. */
function part(answer: Answer, name: string): string {
  return String((answer.data as Answer | null)?.[name] ?? '');
}

const stranger = new SmartAPI({ api_key: 'practicekey', root });
let expired = 0;
stranger.setSessionExpiryHook?.(() => {
  expired += 1;
});
await keep('noToken', stranger, 'getProfile');
stranger.setAccessToken?.('nonsense');
await keep('wrongToken', stranger, 'getProfile');
await keep('wrongPin', stranger, 'generateSession', client, 'wrong', totp);
await keep('wrongTotp', stranger, 'generateSession', client, pin, '000000');

const session = await keep('session', api, 'generateSession', client, pin, totp);
await keep('profile', api, 'getProfile');
await keep('rms', api, 'getRMS');
await keep('holding', api, 'getHolding');
await keep('allHolding', api, 'getAllHolding');
await keep('noPositions', api, 'getPosition');
await keep('noOrders', api, 'getOrderBook');
await keep('noTrades', api, 'getTradeBook');
await keep('renewed', api, 'generateToken', part(session, 'refreshToken'));
await keep('market', api, 'marketData', { mode: 'OHLC', exchangeTokens: { NSE: ['3045', '99'] } });
await keep('full', api, 'marketData', { mode: 'FULL', exchangeTokens: { NSE: ['3045'] } });

const sbin = { tradingsymbol: 'SBIN-EQ', symboltoken: '3045', exchange: 'NSE' };
const base = {
  variety: 'NORMAL',
  ...sbin,
  transactiontype: 'BUY',
  ordertype: 'LIMIT',
  producttype: 'INTRADAY',
  duration: 'DAY',
  price: '790',
  squareoff: '0',
  stoploss: '0',
  quantity: '10',
};
const stop = { ...base, variety: 'STOPLOSS', ordertype: 'STOPLOSS_LIMIT', price: '822', triggerprice: '820' };
await keep('atMarket', api, 'placeOrder', { ...base, ordertype: 'MARKET', price: '0', ordertag: 'k3v9c0m2p7q1x8za' });
const limit = await keep('limit', api, 'placeOrder', { ...base, quantity: 10 });
const stopped = await keep('stop', api, 'placeOrder', stop);
const margin = await keep('margin', api, 'placeOrder', { ...base, producttype: 'DELIVERY', quantity: '1000000' });
const orderid = part(limit, 'orderid');
const whole = { variety: 'NORMAL', orderid, ordertype: 'LIMIT', producttype: 'INTRADAY', duration: 'DAY', quantity: '12', ...sbin };
await keep('modify', api, 'modifyOrder', { ...whole, price: '791.00' });
await keep('details', api, 'indOrderDetails', part(limit, 'uniqueorderid'));
await keep('partialModify', api, 'modifyOrder', { ...whole, producttype: undefined, price: '792.00' });
await keep('detailsAfter', api, 'indOrderDetails', part(limit, 'uniqueorderid'));
await keep('marginDetails', api, 'indOrderDetails', part(margin, 'uniqueorderid'));
await keep('byOrderId', api, 'indOrderDetails', orderid);
await keep('cancelWrongVariety', api, 'cancelOrder', { variety: 'NORMAL', orderid: part(stopped, 'orderid') });
await keep('cancel', api, 'cancelOrder', { variety: 'NORMAL', orderid });
await keep('orders', api, 'getOrderBook');
await keep('trades', api, 'getTradeBook');
await keep('positions', api, 'getPosition');

await keep('amo', api, 'placeOrder', { ...base, variety: 'AMO' });
await keep('stopAsNormal', api, 'placeOrder', { ...stop, variety: 'NORMAL' });
await keep('otherToken', api, 'placeOrder', { ...base, symboltoken: '2885' });
await keep('wrongProduct', api, 'placeOrder', { ...base, producttype: 'MARGIN' });
await keep('longTag', api, 'placeOrder', { ...base, ordertag: 'x'.repeat(20) });
await keep('unknownOrder', api, 'cancelOrder', { variety: 'NORMAL', orderid: '1' });
await keep('logout', api, 'logout', client);
await keep('afterLogout', api, 'getProfile');

results.expired = { hookCalls: expired };
process.stdout.write(JSON.stringify(results), () => process.exit(0));
