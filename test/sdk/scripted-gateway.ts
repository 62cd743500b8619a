import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { createGateway, type Gateway, GatewayError, type GatewaySettings } from '../../sdk/index.ts';

/** One answer of the scripted gateway: a body as JSON or as text, no answer at all, or a connection cut before or within the body. */
export interface Step {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string;
  silent?: 'hang' | 'reset' | 'reset in the body';
}

export interface Seen {
  method: string;
  url: string;
  headers: NodeJS.Dict<string | string[]>;
  body: unknown;
}

/** A loopback server that answers request n with step n, and with the last step from then on; closed after the test. */
export async function scriptedGateway(steps: Step[], settings: Partial<GatewaySettings> = {}): Promise<{ gateway: Gateway; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (req, res) => {
    const step = steps[Math.min(seen.length, steps.length - 1)] ?? {};
    const entry: Seen = { method: req.method ?? '', url: req.url ?? '', headers: req.headers, body: undefined };
    seen.push(entry);
    entry.body = req.headers['content-type'] ? await json(req) : undefined;
    if (step.silent === 'hang') return;
    if (step.silent === 'reset') return res.destroy();
    const text = step.text ?? JSON.stringify(step.json);
    res.writeHead(step.status ?? 200, { 'Content-Type': 'application/json', ...step.headers });
    if (step.silent !== 'reset in the body') return res.end(text);
    res.write(text.slice(0, 5));
    setTimeout(() => res.destroy(), 10);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { gateway: createGateway({ baseUrl: `http://127.0.0.1:${port}`, token: 'bgw_test', ...settings }), seen };
}

/** The GatewayError a call fails with. */
export async function failureOf(call: Promise<unknown>): Promise<GatewayError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in outcome)) throw new Error(`Expected a failure, got ${JSON.stringify(outcome.value)}`);
  if (!(outcome.error instanceof GatewayError)) throw outcome.error;
  return outcome.error;
}

export const order = {
  symbol: 'SBIN',
  token: '779521',
  exchange: 'NSE',
  transaction_type: 'BUY',
  order_type: 'MARKET',
  product_type: 'INTRADAY',
  quantity: 10,
};

export const filled = { success: true, order_id: '1001', fill_status: 'FILLED', filled_quantity: 10, avg_fill_price: 812.35 };
