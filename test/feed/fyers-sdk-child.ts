/** Drives the data and order sockets of the official SDK, nothing changed but its base addresses, and prints what it made of the streams. */
import http from 'node:http';
import https from 'node:https';
import { createRequire, syncBuiltinESMExports } from 'node:module';

interface DataSocket {
  FullMode: string;
  LiteMode: string;
  on(what: string, hear: (message: unknown) => void): void;
  connect(): void;
  close(): void;
  subscribe(symbols: string[], depth: boolean, channel: number): void;
  unsubscribe(symbols: string[], depth: boolean, channel: number): void;
  mode(mode: string, channel: number): void;
}
interface OrderSocket {
  orderUpdates: string;
  tradeUpdates: string;
  on(what: string, hear: (message: unknown) => void): void;
  connect(): void;
  close(): void;
  subscribe(what: string[]): void;
}
interface Sdk {
  fyersDataSocket: { getInstance(token: string, logPath: string, logs: boolean): DataSocket };
  fyersOrderSocket: new (token: string, logPath: string, logs: boolean) => OrderSocket;
}

const [base = '', token = '', directory = ''] = process.argv.slice(2);
const load = createRequire(import.meta.url);
const { Config }: { Config: Record<string, string> } = load('fyers-api-v3/config/config');
Config.HSM_SOCKET = `${base.replace('http', 'ws')}/hsm/v1-5/prod`;
Config.Order_SOCKET = `${base.replace('http', 'ws')}/trade/v3`;

// The address it asks for tokens of symbols is written into its code: the call is turned towards the base on its way out.
const { hostname, port } = new URL(base);
https.request = ((options: http.RequestOptions, hear: (response: http.IncomingMessage) => void) =>
  http.request({ ...options, agent: undefined, protocol: 'http:', host: hostname, hostname, port }, hear)) as typeof https.request;
syncBuiltinESMExports();

const say = (event: string, value: unknown = null) => process.stdout.write(`\n@${JSON.stringify({ event, value })}\n`);
const { fyersDataSocket, fyersOrderSocket }: Sdk = load('fyers-api-v3');
const prices = fyersDataSocket.getInstance(token, directory, false);
const orders = new fyersOrderSocket(token, directory, false);
const symbols = ['NSE:SBIN-EQ', 'NSE:NIFTY26DECFUT', 'NSE:USDINR26DECFUT'];

prices.on('connect', () => {
  prices.subscribe(symbols, false, 1);
  prices.mode(prices.FullMode, 1);
});
prices.on('message', (message) => say('price', message));
prices.on('error', (message) => say('error', message));
orders.on('connect', () => orders.subscribe([orders.orderUpdates, orders.tradeUpdates]));
orders.on('general', (message) => say('general', message));
orders.on('orders', (message) => say('order', message));
orders.on('trades', (message) => say('trade', message));
orders.on('error', (error) => say('orderError', String(error)));

const asked: Readonly<Record<string, () => void>> = {
  lite: () => prices.mode(prices.LiteMode, 1),
  drop: () => prices.unsubscribe(symbols.slice(0, 1), false, 1),
  end: () => process.exit(),
};
process.stdin.on('data', (line) => asked[line.toString().trim()]?.());
prices.connect();
orders.connect();
