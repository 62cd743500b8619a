import express from 'express';
import { createOpenApiExpressMiddleware } from 'trpc-to-openapi';
import { streamRoute } from '../../contract/events.ts';
import { contract } from '../../contract/index.ts';
import { type Route, takesKeys } from '../../contract/route.ts';
import type { Gateway, GatewayStatus } from '../api/gateway.ts';
import { appRouter } from '../api/router.ts';
import type { Streams } from '../api/streams.ts';
import type { RequestContext } from '../api/trpc.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { tellDelivery } from './answer-written.ts';
import { readBytes, readJson } from './body.ts';
import { consolePages } from './console.ts';
import { docsPages } from './docs.ts';
import { bearerToken, createGate, type UserDirectory } from './gate.ts';
import { inputParser, queryInput, refuseQuery, replayOnly } from './input.ts';
import { accessLog, answerError, noStore, securityHeaders } from './middleware.ts';
import { createPace } from './pace.ts';
import { type Page, sendPage } from './page.ts';
import { Refusal } from './refusal.ts';
import { type Endpoint, type Match, type Parameter, queryText, routeTable } from './routes.ts';
import { lookAt } from './strangers.ts';
import { serveStream } from './stream.ts';

export interface AppParts {
  gateway: Gateway;
  streams: Pick<Streams, 'open'>;
  users: UserDirectory;
  status: () => GatewayStatus;
  log: Log;
  clock: Clock;
  /** false: no limit on the calls of one token, for load tests. */
  paced?: boolean;
}

const jsonType = new Headers({ 'content-type': 'application/json' });
const never = new AbortController().signal;

interface Operation extends Endpoint {
  route: Route;
  takesBody: boolean;
  parse: (raw: unknown) => Record<string, unknown>;
}

/**
 * The HTTP edge: decides everything about a request that is not an operation's business (path, method, user, body, input),
 * then lets trpc-to-openapi run the procedure. Errors: RequestError bodies; what a procedure throws is logged, never shown.
 */
export function createApp({ gateway, streams, users, status, log, clock, paced = true }: AppParts): express.Express {
  const find = routeTable<Operation | Page>([...operations(), statusPage(status), ...docsPages(), ...consolePages()]);
  const admit = createGate(users, clock);
  const pace = paced ? createPace(clock) : () => undefined;
  const contexts = new WeakMap<express.Request, RequestContext>();
  const runProcedure = createOpenApiExpressMiddleware({
    router: appRouter,
    createContext: ({ req }) => contextOf(req),
    responseMeta: ({ ctx }) => ({ status: ctx?.reply.status ?? 200, headers: { ...ctx?.reply.headers } }),
    // The library's own error bodies carry inner messages; thrown on from here, the error reaches our last handler.
    onError: ({ error }) => {
      throw error;
    },
  });

  function contextOf(req: express.Request): RequestContext {
    const context = contexts.get(req);
    if (!context) throw new Error('A request reached its procedure around the edge');
    return context;
  }

  async function serve(req: express.Request, res: express.Response): Promise<void> {
    const match = find(req.method, req.url);
    if ('content' in match.entry) return await sendPage(match.entry, req, res);
    const operation = match.entry;
    const user = operation.route.open ? null : await lookAt(req, admit);
    const input = operation.parse(await rawInput(operation, match, req));
    if (user !== null && !leavesAlways(operation.route, input)) pace(user);
    if (operation.route === streamRoute) {
      const mayRead = async () => (await users.authenticate(bearerToken(req.headers.authorization) ?? '')) === user;
      return await serveStream(req, res, streams, { instruments: input.instruments, mayRead });
    }
    const decided = new Decided(operation) as unknown as express.Request;
    const reply: RequestContext['reply'] = { status: 200, headers: {} };
    const onlyAsks = takesKeys(operation.route) && replayOnly(req.headers);
    contexts.set(decided, { gateway, user, replayOnly: onlyAsks, input, reply });
    await tellDelivery(reply, { res, log }, () => runProcedure(decided, res));
  }

  const app = express().disable('x-powered-by').disable('query parser');
  app.use(accessLog(log, clock), securityHeaders, noStore, serve, answerError(log));
  return app;
}

/** What ends an exposure is never kept waiting: cancels, exits, the kill switch, and orders that may only reduce. */
const exits: readonly Route[] = [contract.cancelOrder, contract.setKillSwitch, contract.exitPositions];

function leavesAlways(route: Route, input: Record<string, unknown>): boolean {
  return exits.includes(route) || input.reduce_only === true;
}

function operations(): Operation[] {
  return [...Object.values<Route>(contract), streamRoute].map((route) => ({
    method: route.method,
    path: route.path,
    route,
    takesBody: route.method === 'POST' && !route.query && !route.path.includes('{') && Object.keys(route.input.shape).length > 0,
    parse: inputParser(route),
  }));
}

async function rawInput(operation: Operation, { parameters }: Match<unknown>, req: express.Request): Promise<unknown> {
  const query = queryText(req.url);
  if (!operation.route.query) refuseQuery(query, operation.route);
  if (operation.takesBody) return readJson(req);
  if (operation.method === 'POST') await readBytes(req);
  if (operation.route.query) return queryInput(query);
  return Object.fromEntries(parameters.map((parameter) => [parameter.name, decoded(parameter)]));
}

function decoded({ name, encoded }: Parameter): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new Refusal(400, `${name}: malformed percent-encoding`);
  }
}

/**
 * What the library needs to find the procedure; its input goes beside it (RequestContext). Of a whole request the library answers HEAD with 204, refuses a POST
 * without a JSON content type, never reads the query of a POST, hands path parameters on encoded, and resolves their dots and backslashes. Passes for a fetch
 * Request: of anything else the library makes one, with headers, body and all, for a signal that nobody here reads (4 % of an order's CPU).
 */
class Decided {
  readonly method: string;
  readonly url: string;
  readonly headers = jsonType;
  readonly body = {};
  readonly signal = never;

  constructor({ method, path }: Operation) {
    this.method = method;
    this.url = path.replace(/\{\w+\}/g, '-');
  }
}
Object.setPrototypeOf(Decided.prototype, Request.prototype);

/** What the root path answers. */
export function statusPage(status: () => GatewayStatus): Page {
  return { method: 'GET', path: '/', type: 'json', content: () => ({ body: JSON.stringify(status()) }) };
}
