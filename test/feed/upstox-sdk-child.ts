/** Lets the official SDK's two streamers listen to an emulator, nothing changed but the base address, and prints what they emitted. */
import { createRequire } from 'node:module';

interface Streamer {
  on(event: string, listener: (data: unknown) => void): void;
  connect(): Promise<void>;
  autoReconnect(enable: boolean): void;
}
interface Feeder {
  prototype: { connectWebSocket(url: string, token: string): Promise<unknown> };
}
interface Sdk {
  ApiClient: { instance: { basePath: string; orderBasePath: string; authentications: { OAUTH2: { accessToken?: string } } } };
  OrderApiV3: new () => {
    placeOrder(body: object, options: object, done: (error: unknown, data: { data: { orderIds: string[] } }) => void): void;
  };
  PlaceOrderV3Request: new (...fields: unknown[]) => object;
  MarketDataStreamerV3: new (keys: string[], mode: string) => Streamer & { subscribe(keys: string[], mode: string): void };
  PortfolioDataStreamer: new () => Streamer;
}

const require = createRequire(import.meta.url);
const sdk: Sdk = require('upstox-js-sdk');
const { MarketDataFeederV3 }: { MarketDataFeederV3: Feeder } = require('upstox-js-sdk/dist/feeder/MarketDataFeederV3');
const { PortfolioDataFeeder }: { PortfolioDataFeeder: Feeder } = require('upstox-js-sdk/dist/feeder/PortfolioDataFeeder');
const [root = ''] = process.argv.slice(2);
const client = sdk.ApiClient.instance;
client.basePath = root;
client.orderBasePath = root;
client.authentications.OAUTH2.accessToken = 'practice-upstox-access-token';
// The SDK has no setting for the address of its sockets.
for (const { prototype } of [MarketDataFeederV3, PortfolioDataFeeder]) {
  const { connectWebSocket } = prototype;
  prototype.connectWebSocket = function (url, token) {
    return connectWebSocket.call(this, url.replace('wss://api.upstox.com', root.replace('http', 'ws')), token);
  };
}

const results = { market: [] as unknown[], orders: [] as { order_id?: string; status?: string }[], placed: '' };
const market = new sdk.MarketDataStreamerV3(['NSE_EQ|INE062A01020'], 'ltpc');
const portfolio = new sdk.PortfolioDataStreamer();
const opened = (streamer: Streamer) =>
  new Promise<void>((resolve, reject) => {
    streamer.on('open', () => resolve());
    streamer.on('error', reject);
    void streamer.connect();
  });

function finishWhenHeard(): void {
  const filled = results.orders.some((each) => each.order_id === results.placed && each.status === 'complete');
  const text = JSON.stringify(results.market);
  if (filled && text.includes('live_feed') && text.includes('NSE_FO|47001'))
    process.stdout.write(JSON.stringify(results), () => process.exit(0));
}
market.on('message', (data) => {
  results.market.push(JSON.parse(String(data)));
  finishWhenHeard();
});
portfolio.on('message', (data) => {
  results.orders.push(JSON.parse(String(data)));
  finishWhenHeard();
});

await Promise.all([opened(market), opened(portfolio)]);
market.subscribe(['NSE_FO|47001'], 'full');
const body = new sdk.PlaceOrderV3Request(3, 'I', 'DAY', 0, 'NSE_EQ|INE062A01020', 'MARKET', 'BUY', 0, 0, false);
new sdk.OrderApiV3().placeOrder(body, {}, (error, data) => {
  if (error) throw error;
  results.placed = data.data.orderIds[0] ?? '';
  finishWhenHeard();
});
