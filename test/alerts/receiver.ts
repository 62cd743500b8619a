import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Alert } from '../../server/alerts/alert.ts';

export const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;
export const botToken = '123456:ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghi';

export interface Receiver {
  /** What the webhook took, each once by its id. */
  alerts: Alert[];
  /** Every delivery that was answered with 200, repetitions too. */
  taken: Alert[];
  /** Texts that Telegram took. */
  texts: string[];
  /** Requests of all kinds. */
  requests: number;
  /** The newest request of the webhook, as it came. */
  newest: { headers: IncomingHttpHeaders; body: string } | null;
  /** Signatures that did not fit. */
  unsigned: string[];
  /** How requests are answered from now on. `hang`: not at all. */
  answer: 'take' | 'fail' | 'hang' | 'refuse';
  /** The settings that send alerts here. */
  env: Record<string, string>;
  of(kind: string, state?: string): Alert[];
  /** Resolves once nobody is connected: nothing given up by its sender can be taken any more. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** Takes what the webhook and Telegram are sent, on loopback. */
export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = {
    ...{ alerts: [], taken: [], texts: [], requests: 0, newest: null, unsigned: [], answer: 'take', env: {} },
    of: (kind, state) => receiver.alerts.filter((alert) => alert.kind === kind && (state === undefined || alert.state === state)),
    quiet: async () => {
      const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
      if (!(await until(async () => (await connections()) === 0))) throw new Error('somebody stays connected to the receiver');
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const server = createServer((req, res) => void serve(receiver, req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  receiver.env = {
    ALERT_WEBHOOK_URL: `${address}/hook/very-secret-path`,
    ALERT_WEBHOOK_SECRET: secret,
    ALERT_TELEGRAM_TOKEN: botToken,
    ALERT_TELEGRAM_CHAT: '-100200300',
    ALERT_TELEGRAM_API_URL: address,
  };
  return receiver;
}

async function serve(receiver: Receiver, req: IncomingMessage, res: ServerResponse): Promise<void> {
  receiver.requests += 1;
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString('utf8');
  if (receiver.answer === 'hang') return;
  if (receiver.answer === 'fail') return void res.writeHead(503).end('not now');
  if (receiver.answer === 'refuse') return void res.writeHead(400).end(JSON.stringify({ description: `chat of ${botToken} not found` }));
  if (req.url === `/bot${botToken}/sendMessage`) receiver.texts.push(JSON.parse(body).text);
  else take(receiver, req, body);
  res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"ok":true}');
}

function take(receiver: Receiver, { headers }: IncomingMessage, body: string): void {
  receiver.newest = { headers, body };
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  if (!isSigned(secret, id, timestamp, String(headers['webhook-signature']), body)) receiver.unsigned.push(id);
  const alert: Alert = JSON.parse(body);
  receiver.taken.push(alert);
  if (!receiver.alerts.some((one) => one.id === id)) receiver.alerts.push(alert);
}

function isSigned(key: string, id: string, timestamp: string, signature: string, body: string): boolean {
  const bytes = Buffer.from(key.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest();
  const given = Buffer.from(signature.replace('v1,', ''), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Waits until something is so, at most `ms`; tells whether it became so. */
export async function until(isSo: () => boolean | Promise<boolean>, ms = 15_000): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    if (await isSo()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return isSo();
}
