/** Drives the official SDK's ticker, nothing changed but `root`, and prints what it decoded. Its state is the module's: one ticker a process. */
import { KiteTicker } from 'kiteconnect';

const [root = '', accessToken = '', wanted = ''] = process.argv.slice(2);
const token = Number(wanted);
// The SDK's types do not know `root`.
const settings = { api_key: 'practicekey', access_token: accessToken, root };
const ticker = new KiteTicker(settings);
ticker.autoReconnect(false, 1, 5);

function tell(event: string, value: unknown): void {
  console.log(JSON.stringify({ event, value }));
}

ticker.on('connect', () => {
  ticker.subscribe([token]);
  ticker.setMode(ticker.modeFull, [token]);
  tell('connect', null);
});
ticker.on('ticks', (ticks: unknown[]) => tell('ticks', ticks));
ticker.on('order_update', (order: unknown) => tell('order', order));
ticker.on('error', (error: { message?: string }) => tell('error', String(error?.message ?? error)));
ticker.on('close', () => tell('close', null));
ticker.connect();
