/** Drives the official SDK, nothing changed but its two base addresses, and prints what it made of the answers. */
import { createRequire } from 'node:module';

/** The part of the SDK used here; it ships without types and answers through callbacks. */
type Done = (error: { response?: { text?: string; status?: number } } | null, data: unknown) => void;
type Method = (...given: unknown[]) => unknown;
interface Sdk {
  ApiClient: { instance: { basePath: string; orderBasePath: string; authentications: { OAUTH2: { accessToken?: string } } } };
  LoginApi: new () => Record<'token' | 'logout', Method>;
  UserApi: new () => Record<'getProfile' | 'getUserFundMargin' | 'getUserFundMarginV3', Method>;
  PortfolioApi: new () => Record<'getHoldings' | 'getPositions' | 'getMtfPositions', Method>;
  OrderApi: new () => Record<
    'getOrderBook' | 'getOrderDetails' | 'getOrderStatus' | 'getTradeHistory' | 'getTradesByOrder' | 'placeOrder' | 'cancelOrder',
    Method
  >;
  OrderApiV3: new () => Record<'placeOrder' | 'modifyOrder' | 'cancelOrder', Method>;
  MarketQuoteV3Api: new () => Record<'getLtp', Method>;
  PlaceOrderRequest: new (...fields: unknown[]) => object;
  PlaceOrderV3Request: new (...fields: unknown[]) => Record<string, unknown>;
  ModifyOrderRequest: new (...fields: unknown[]) => Record<string, unknown>;
}

const sdk: Sdk = createRequire(import.meta.url)('upstox-js-sdk');
const [root = ''] = process.argv.slice(2);
const client = sdk.ApiClient.instance;
client.basePath = root;
client.orderBasePath = root;
const results: Record<string, unknown> = {};
const VERSION = '2.0';

/** Keeps what a call answered, or status and body of its error. */
function keep(name: string, run: (done: Done) => unknown): Promise<string> {
  return new Promise((resolve) => {
    run((error, data) => {
      const { status, text } = error?.response ?? {};
      results[name] = error ? { status, error: text ? JSON.parse(text) : String(error) } : { value: data };
      const ids = (data as { data?: { orderIds?: string[]; orderId?: string } } | null)?.data;
      resolve(ids?.orderIds?.[0] ?? ids?.orderId ?? '');
    });
  });
}

const redirectUri = 'http://127.0.0.1:5001/';
async function newCode(changed: Record<string, string> = {}): Promise<string> {
  const query = { response_type: 'code', client_id: 'practice-upstox-key', redirect_uri: redirectUri, state: 'abc', ...changed };
  const page = await fetch(`${root}/v2/login/authorization/dialog?${new URLSearchParams(query)}`, { redirect: 'manual' });
  const location = URL.parse(page.headers.get('location') ?? '');
  results[`dialog ${Object.keys(changed).join()}`.trim()] = {
    status: page.status,
    host: location?.host,
    state: location?.searchParams.get('state'),
  };
  return location?.searchParams.get('code') ?? '';
}

const login = new sdk.LoginApi();
const app = { clientId: 'practice-upstox-key', clientSecret: 'practice-upstox-secret', redirectUri, grantType: 'authorization_code' };
await newCode({ client_id: 'stranger' });
const burnt = await newCode();
await keep('wrongSecret', (done) => login.token(VERSION, { ...app, code: burnt, clientSecret: 'wrong' }, done));
await keep('burntCode', (done) => login.token(VERSION, { ...app, code: burnt }, done));
const otherUri = await newCode();
await keep('wrongUri', (done) => login.token(VERSION, { ...app, code: otherUri, redirectUri: 'http://127.0.0.1:1/' }, done));
const code = await newCode();
await keep('session', (done) => login.token(VERSION, { ...app, code }, done));

const user = new sdk.UserApi();
await keep('noToken', (done) => user.getProfile(VERSION, done));
client.authentications.OAUTH2.accessToken = (results.session as { value: { accessToken: string } }).value.accessToken;
await keep('profile', (done) => user.getProfile(VERSION, done));
await keep('funds', (done) => user.getUserFundMargin(VERSION, null, done));
await keep('commodity', (done) => user.getUserFundMargin(VERSION, { segment: 'COM' }, done));
await keep('fundsV3', (done) => user.getUserFundMarginV3(done));

const portfolio = new sdk.PortfolioApi();
await keep('holdings', (done) => portfolio.getHoldings(VERSION, done));
await keep('noPositions', (done) => portfolio.getPositions(VERSION, done));
await keep('mtf', (done) => portfolio.getMtfPositions(done));
await keep('ltp', (done) => new sdk.MarketQuoteV3Api().getLtp({ instrumentKey: 'NSE_EQ|INE062A01020,NSE_FO|47001' }, done));

const orders = new sdk.OrderApi();
const ordersV3 = new sdk.OrderApiV3();
const SBIN = 'NSE_EQ|INE062A01020';
interface Wanted {
  key: string;
  type: string;
  price: number;
  trigger: number;
  quantity: number;
  product: string;
  side: string;
  amo: boolean;
  tag: string;
  marketProtection: number;
}
function place(name: string, wanted: Partial<Wanted> = {}): Promise<string> {
  const { key = SBIN, type = 'MARKET', price = 0, trigger = 0, quantity = 10, product = 'I', side = 'BUY', amo = false } = wanted;
  const body = new sdk.PlaceOrderV3Request(quantity, product, 'DAY', price, key, type, side, 0, trigger, amo);
  if (wanted.tag !== undefined) body.tag = wanted.tag;
  if (wanted.marketProtection !== undefined) body.marketProtection = wanted.marketProtection;
  return keep(name, (done) => ordersV3.placeOrder(body, {}, done));
}

await keep('noOrders', (done) => orders.getOrderBook(VERSION, done));
const market = await place('market', { tag: 'k3v9c0m2p7q1x8za', marketProtection: -1 });
await place('marketByDefault', { tag: 'twin', quantity: 5 });
const limit = await place('limit', { type: 'LIMIT', price: 790, tag: 'twin' });
await place('stop', { type: 'SL', price: 822, trigger: 820 });
await place('stopMarket', { type: 'SL-M', trigger: 825, marketProtection: 5 });
const amo = await place('amo', { type: 'LIMIT', price: 790, amo: true });
await place('currency', { key: 'NCD_FO|10901', quantity: 2, product: 'D' });

const change = new sdk.ModifyOrderRequest('DAY', 791, limit, 'LIMIT', 0);
change.quantity = 12;
await keep('modify', (done) => ordersV3.modifyOrder(change, done));
await keep('cancel', (done) => ordersV3.cancelOrder(limit, done));
await keep('cancelAgain', (done) => ordersV3.cancelOrder(limit, done));
await keep('modifyFinished', (done) => ordersV3.modifyOrder(change, done));
await keep('cancelAmo', (done) => ordersV3.cancelOrder(amo, done));
await keep('orders', (done) => orders.getOrderBook(VERSION, done));
await keep('status', (done) => orders.getOrderStatus({ orderId: market }, done));
await keep('history', (done) => orders.getOrderDetails(VERSION, { orderId: limit }, done));
await keep('historyByTag', (done) => orders.getOrderDetails(VERSION, { tag: 'twin' }, done));
await keep('trades', (done) => orders.getTradeHistory(VERSION, done));
await keep('orderTrades', (done) => orders.getTradesByOrder(market, VERSION, done));
await keep('positions', (done) => portfolio.getPositions(VERSION, done));

const v2Order = new sdk.PlaceOrderRequest(1, 'I', 'DAY', 790, SBIN, 'LIMIT', 'BUY', 0, 0, false);
const v2 = await keep('placeV2', (done) => orders.placeOrder(v2Order, VERSION, done));
await keep('cancelV2', (done) => orders.cancelOrder(v2, VERSION, done));

await place('unprotected', { marketProtection: 0 });
await place('tooWide', { marketProtection: 26 });
await place('oddProtection', { marketProtection: -2 });
await place('noQuantity', { quantity: 0 });
await place('noInstrument', { key: 'NSE_EQ|INE000000000' });
await place('mcx', { key: 'MCX_FO|464101', quantity: 1, product: 'D' });
await place('longTag', { tag: 'x'.repeat(41) });
await place('badProduct', { product: 'CO' });
await place('limitWithoutPrice', { type: 'LIMIT' });
await place('stopWithoutTrigger', { type: 'SL', price: 800 });
await place('tooLarge', { type: 'LIMIT', price: 800, product: 'D', quantity: 100_000, tag: 'large' });
await keep('largeRow', (done) => orders.getOrderDetails(VERSION, { tag: 'large' }, done));
await keep('unknownTag', (done) => orders.getOrderDetails(VERSION, { tag: 'nobody' }, done));
await keep('unknownOrder', (done) => orders.getOrderStatus({ orderId: '240926010304511' }, done));
await keep('badOrderId', (done) => orders.getOrderStatus({ orderId: '24 09' }, done));
await keep('neither', (done) => orders.getOrderDetails(VERSION, {}, done));
await keep('logout', (done) => login.logout(VERSION, done));
await keep('afterLogout', (done) => user.getProfile(VERSION, done));

process.stdout.write(JSON.stringify(results), () => process.exit(0));
