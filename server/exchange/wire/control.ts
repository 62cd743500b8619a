import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { brokerIds } from '../../../contract/words.ts';
import type { PracticeExchange } from '../host.ts';
import { PlaceRequest } from '../types.ts';
import { FaultSpec } from './faults.ts';

/*
 * The control port of `npm run exchange`: JSON over HTTP, loopback only, no login. Prices are decimal text in rupees.
 *
 *   GET    /          {urls: {zerodha: {api, login, feed}, ...}}
 *   GET    /ledger    {orders, trades, requests, placingRequests}
 *   GET    /faults    [{fault, struck}, ...]
 *   POST   /faults    {"operation": "place", "kind": "hangAfterAccept", "times": 1}    plants one fault
 *   DELETE /faults    removes all
 *   POST   /by-hand   {"broker": "zerodha", "order": {"exchange": "NSE", "symbol": "SBIN", "side": "BUY", "orderType": "MARKET",
 *                      "product": "INTRADAY", "quantity": 10}}                         an order from the broker's own app
 *   GET    /switches  {kotak: {oldPositions: false, ...}, ...}                         what a broker is known to do in two ways
 *   POST   /switches  {"broker": "kotak", "name": "oldPositions", "on": true}         turns one
 *   POST   /price     {"exchange": "NSE", "symbol": "SBIN", "price": "810.5"}          pins a price; null lets it walk
 *
 * A request it cannot use is answered 400 {message}.
 */

const ByHand = z.object({ broker: z.enum(brokerIds), order: PlaceRequest });
const Turn = z.object({ broker: z.enum(brokerIds), name: z.string(), on: z.boolean() });
const Price = z.object({ exchange: z.string(), symbol: z.string(), price: PlaceRequest.shape.triggerPrice.unwrap().nullable() });

type Answer = (host: PracticeExchange, body: unknown) => unknown;

const answers: Readonly<Record<string, Answer>> = {
  'GET /': ({ urls }) => ({ urls }),
  'GET /ledger': ({ exchange }) => exchange.ledger(),
  'GET /faults': ({ faults }) => faults.list(),
  'POST /faults': ({ faults }, body) => faults.plant(FaultSpec.parse(body)),
  'DELETE /faults': ({ faults }) => {
    faults.clear();
    return faults.list();
  },
  'POST /by-hand': ({ exchange }, body) => {
    const { broker, order } = ByHand.parse(body);
    return exchange.placeByHand(broker, order);
  },
  'GET /switches': ({ switches }) => switches,
  'POST /switches': ({ switches }, body) => {
    const { broker, name, on } = Turn.parse(body);
    const known = switches[broker];
    if (!known || !Object.hasOwn(known, name)) throw new Error(`${broker} has no switch ${name}`);
    known[name] = on;
    return switches;
  },
  'POST /price': ({ exchange }, body) => {
    const { exchange: market, symbol, price } = Price.parse(body);
    exchange.setPrice(market, symbol, price);
    return { exchange: market, symbol, price };
  },
};

/** Serves the control port; rejects with the listen error. */
export async function serveControl(host: PracticeExchange, port: number): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    control(host, request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function control(host: PracticeExchange, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString('utf8');
  const answer = answers[`${request.method} ${request.url}`];
  // A page in a browser must not steer the exchange: such a request names its origin.
  if (request.headers.origin !== undefined) return reply(response, 403, { message: 'Not for web pages' });
  if (!answer) return reply(response, 404, { message: `There is ${Object.keys(answers).join(', ')}` });
  try {
    reply(response, 200, answer(host, text === '' ? undefined : JSON.parse(text)));
  } catch (error) {
    reply(response, 400, { message: error instanceof z.ZodError ? z.prettifyError(error) : String(error) });
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
