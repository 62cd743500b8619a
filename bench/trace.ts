import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net, { type Socket } from 'node:net';

/**
 * Loaded into a gateway before anything else (`--import`): writes down when what an order does passes from one process to another. One line
 * an order into the file that TRACE_FILE names: `[name, ms since the request came]`. It sees orders that come one after another.
 */
const file = process.env.TRACE_FILE ?? '';

type Passing = readonly [name: string, atMs: number];

let began = 0;
let passed: Passing[] | null = null;

function pass(name: string): void {
  passed?.push([name, performance.now() - began]);
}

function upstream(message: unknown): string {
  const { method, path } = (message as { request: { method: string; path: string } }).request;
  return `${method} ${path}`;
}

subscribe('http.server.request.start', (message) => {
  const { method, url } = (message as { request: { method: string; url: string } }).request;
  if (method !== 'POST' || url !== '/broker/orders/place') return;
  began = performance.now();
  passed = [];
});
subscribe('http.server.response.finish', () => {
  pass('answered');
  if (passed) appendFileSync(file, `${JSON.stringify(passed)}\n`);
  passed = null;
});
subscribe('undici:client:sendHeaders', (message) => pass(`> ${upstream(message)}`));
subscribe('undici:request:trailers', (message) => pass(`< ${upstream(message)}`));

/** PostgreSQL speaks over a socket file. */
function traced(socket: Socket): Socket {
  const { write, emit } = socket;
  socket.write = ((...args: Parameters<Socket['write']>) => {
    pass('> PostgreSQL');
    return write.apply(socket, args);
  }) as Socket['write'];
  socket.emit = (event: string, ...args: unknown[]) => {
    if (event === 'data') pass('< PostgreSQL');
    return Reflect.apply(emit, socket, [event, ...args]);
  };
  return socket;
}

const { connect } = net;
// All its forms are handed on as they came.
net.connect = new Proxy(connect, {
  apply(target, self, args: unknown[]) {
    const socket: Socket = Reflect.apply(target, self, args);
    const [options] = args;
    const path = typeof options === 'object' && options !== null && 'path' in options ? options.path : null;
    return typeof path === 'string' && path.includes('.s.PGSQL.') ? traced(socket) : socket;
  },
});
syncBuiltinESMExports();
