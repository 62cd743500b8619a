/** Drives the official SDK's two sockets, nothing changed but their addresses, and prints what it made of the frames. */
import { createRequire } from 'node:module';

type Answer = { data?: Record<string, string> };
interface Socket {
  connect(): Promise<unknown>;
  on(event: 'tick', hear: (told: unknown) => void): void;
  fetchData(request: object): void;
}
interface Sdk {
  SmartAPI: new (params: object) => Record<string, (...params: unknown[]) => Promise<Answer>>;
  WebSocketV2: new (params: object) => Socket;
  WSOrderUpdates: new (params: object) => Socket;
}

const require = createRequire(import.meta.url);
const sdk = createRequire(require.resolve('smartapi-javascript'));
// The SDK asks public name servers for this machine's address; a test asks nobody.
sdk('public-ip').v4 = async () => '127.0.0.1';
const [root = '', feed = '', client = '', pin = '', totp = ''] = process.argv.slice(2);
const { CONSTANTS } = require('smartapi-javascript/config/constant');
CONSTANTS.websocketURL = feed;
CONSTANTS.wsclientupdatesURL = new URL('smart-order-update', feed).href;
const { SmartAPI, WebSocketV2, WSOrderUpdates }: Sdk = require('smartapi-javascript');

const api = new SmartAPI({ api_key: 'practicekey', root });
const session = (await api.generateSession?.(client, pin, totp))?.data ?? {};
const login = { clientcode: client, jwttoken: session.jwtToken, apikey: 'practicekey', feedtype: session.feedToken };

/** Everything a socket told until `enough` of it. */
async function told(socket: Socket, act: () => unknown, enough: (heard: readonly unknown[]) => boolean): Promise<unknown[]> {
  const heard: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on('tick', (frame) => {
    heard.push(frame);
    if (enough(heard)) resolve();
  });
  await socket.connect();
  await act();
  await promise;
  return heard;
}

const market = new WebSocketV2(login);
const modes = [
  { mode: 1, exchangeType: 1, tokens: ['3045'] },
  { mode: 2, exchangeType: 3, tokens: ['500325'] },
  { mode: 3, exchangeType: 2, tokens: ['47001'] },
  { mode: 1, exchangeType: 13, tokens: ['10901'] },
];
const subscribe = () => modes.forEach((each) => void market.fetchData({ correlationID: 'abcde12345', action: 1, ...each }));
const ticks = await told(market, subscribe, (heard) => heard.length >= modes.length);

const order = {
  variety: 'NORMAL',
  tradingsymbol: 'SBIN-EQ',
  symboltoken: '3045',
  exchange: 'NSE',
  transactiontype: 'BUY',
  ordertype: 'MARKET',
  producttype: 'INTRADAY',
  duration: 'DAY',
  price: '0',
  squareoff: '0',
  stoploss: '0',
  quantity: '10',
  ordertag: 'k3v9c0m2p7q1x8za',
};
let placed: Answer | undefined;
const updates = await told(
  new WSOrderUpdates(login),
  async () => {
    placed = await api.placeOrder?.(order);
  },
  (heard) => heard.some((frame) => String(frame).includes('AB05')),
);

const results = { ticks, updates, orderid: placed?.data?.orderid };
process.stdout.write(JSON.stringify(results), () => process.exit(0));
