import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import type { BrokerDefinition, BrokerEnv } from '../../server/brokers/broker.ts';
import { createRedactor } from '../../server/brokers/redactor.ts';
import { tradingCalendar } from '../../server/calendar/calendar.ts';
import { type Clock, seededRandom, systemClock } from '../../server/clock.ts';

export interface Seen {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: string;
  form: Record<string, string>;
}

/** What the stub server answers; the words are ways of not answering, each after the whole request was read. */
export type Answer = { status?: number; headers?: Record<string, string>; body?: unknown } | 'reset' | 'half' | 'stall';

/** A broker's server of the test's own: it answers by route and remembers what it saw. */
export interface StubServer {
  url: string;
  seen: Seen[];
  /** `METHOD /path`, where `*` stands for one part; the newest matching route wins. */
  on(route: string, answer: Answer | ((seen: Seen) => Answer | Promise<Answer>)): void;
  /** Requests to one route so far. */
  calls(route: string): Seen[];
  close(): Promise<void>;
}

export async function openStub(): Promise<StubServer> {
  const routes: { route: string; answer: (seen: Seen) => Answer | Promise<Answer> }[] = [];
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url ?? '/', 'http://stub');
    const body = Buffer.concat(chunks).toString();
    const one: Seen = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body,
      form: Object.fromEntries(new URLSearchParams(body)),
    };
    seen.push(one);
    const found = routes.findLast((each) => matches(each.route, one));
    reply(
      response,
      found ? await found.answer(one) : { status: 404, body: { status: 'error', message: 'no such route on the stub server' } },
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    on: (route, answer) => routes.push({ route, answer: typeof answer === 'function' ? answer : () => answer }),
    calls: (route) => seen.filter((each) => matches(route, each)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function matches(route: string, seen: Seen): boolean {
  const pattern = route.replace(/[.?+^$[\]\\(){}|]/g, '\\$&').replaceAll('*', '[^/]+');
  return new RegExp(`^${pattern}$`).test(`${seen.method} ${seen.path}`);
}

function reply(response: ServerResponse, answer: Answer): void {
  if (answer === 'stall') return;
  if (answer === 'reset') return void response.socket?.resetAndDestroy();
  if (answer === 'half') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '400' });
    response.write('{"status":"success",', () => response.socket?.destroy());
    return;
  }
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? '');
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
  response.end(answer.body === undefined ? '' : text);
}

/** A recorded envelope: `{ source, status, body }`. */
export interface Fixture {
  source: string;
  status: number;
  body: Record<string, unknown>;
}

export function fixtures(broker: string) {
  const load = (name: string) => JSON.parse(readFileSync(new URL(`./fixtures/${broker}/${name}.json`, import.meta.url), 'utf8'));
  const many = (name: string): Record<string, Fixture> => load(name);
  const errors = () => many('errors');
  function error(name: string): Answer {
    const found = errors()[name];
    if (!found) throw new Error(`no fixture ${name}`);
    return answerOf(found);
  }
  return { one: (name: string): Fixture => load(name), many, errors, error };
}

/** A recorded envelope as the stub server gives it. */
export function answerOf({ status, body }: Fixture): Answer {
  return { status, body };
}

/** What an adapter is built from, pointed at the stub server; `logged` and `expired` collect what it says. `pace.speed` above 1 shortens its time-outs. */
export function envFor(definition: BrokerDefinition, url: string, credentials: Record<string, string>) {
  const logged: string[] = [];
  const expired: string[] = [];
  const pace = { speed: 1 };
  const clock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / pace.speed, signal) };
  const env: BrokerEnv = {
    credentials,
    redactor: createRedactor(credentials),
    apiUrl: url,
    loginUrl: definition.urls.login,
    feedUrl: definition.urls.feed,
    localAddress: undefined,
    algoId: undefined,
    marketProtection: undefined,
    isOpen: tradingCalendar().isOpen,
    clock,
    random: seededRandom(1),
    log: pino({ level: 'trace' }, { write: (line: string) => logged.push(line) }),
    onExpired: (reason) => expired.push(reason),
  };
  return { env, logged, expired, pace };
}
