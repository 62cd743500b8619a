import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Figures } from './figures.ts';
import type { Metrics } from './metrics.ts';

/** A port that is taken is tried again this often: the gateway before may still be ending. */
const RETRY_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const MOST_CONNECTIONS = 32;

export interface OpsParts {
  host: string;
  port: number;
  log: Log;
  metrics: Metrics;
  /** Null before there is a gateway. */
  figures(): Figures | null;
}

export interface Ops {
  /** Where it listens; null while it cannot. */
  port(): number | null;
  close(): void;
}

interface Answer {
  status: number;
  type: string;
  text: string;
}

const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  text: `${JSON.stringify(body)}\n`,
});

/** Ready: orders are taken and can be written. A standby is not: what asks here would send it orders. */
function readiness(figures: Figures | null): Answer {
  const status = figures?.status.status ?? 'starting';
  const database = figures?.database.up ? 'up' : 'down';
  return json(status === 'ready' && database === 'up' ? 200 : 503, { status, database });
}

type Page = (parts: OpsParts) => Answer | Promise<Answer>;

const pages: Readonly<Record<string, Page>> = {
  '/metrics': async ({ metrics, figures }) => ({ status: 200, type: metrics.contentType, text: await metrics.page(figures()) }),
  '/healthz': () => json(200, { status: 'alive' }),
  '/readyz': ({ figures }) => readiness(figures()),
};

/**
 * Serves /metrics, /healthz and /readyz on a port of their own, without a user. Trading never depends on it: where the port cannot be had that is
 * logged, and tried again until it can. Resolves after the first try.
 */
export async function serveOps(parts: OpsParts): Promise<Ops> {
  const { host, port, log } = parts;
  const stop = new AbortController();
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    void answer(parts, request, response);
  });
  server.maxConnections = MOST_CONNECTIONS;

  async function listen(): Promise<boolean> {
    try {
      server.listen({ host, port, exclusive: true });
      await once(server, 'listening');
      return true;
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      log.warn({ host, port, reason }, 'Figures are not served: OPS_PORT cannot be had on OPS_HOST; it is tried again');
      return false;
    }
  }
  async function keepTrying(): Promise<void> {
    for (;;) {
      await systemClock.sleep(RETRY_MS, stop.signal);
      if (stop.signal.aborted) return;
      if (await listen()) return log.info({ host, port }, 'Figures are served now');
    }
  }
  if (!(await listen())) void keepTrying();
  return {
    port: () => (server.listening ? (server.address() as AddressInfo).port : null),
    close() {
      stop.abort();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(parts: OpsParts, { method, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, type, text } = await answerOf(parts, method ?? '', url.split('?')[0] ?? '');
  response.writeHead(status, {
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 405 && { Allow: 'GET, HEAD' }),
  });
  response.end(method === 'HEAD' ? undefined : text);
}

async function answerOf(parts: OpsParts, method: string, path: string): Promise<Answer> {
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (!page) return json(404, { success: false, message: `Not found; here are ${Object.keys(pages).join(', ')}` });
  if (method !== 'GET' && method !== 'HEAD') return json(405, { success: false, message: 'Only GET and HEAD' });
  try {
    return await page(parts);
  } catch (error) {
    parts.log.warn({ path, error: String(error) }, 'Figures could not be told');
    return json(500, { success: false, message: 'The figures could not be read' });
  }
}
