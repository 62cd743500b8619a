import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Query = Readonly<Record<string, string>>;

/** Waits on loopback for the broker to send the browser back. Favicon and other calls without a query are answered and ignored. */
export interface RedirectCatcher {
  port: number;
  /** The query of the redirect. */
  caught: Promise<Query>;
  close(): void;
}

/** Listens on 127.0.0.1; rejects when the port is taken. */
export async function catchRedirect(port: number): Promise<RedirectCatcher> {
  const { promise: caught, resolve } = Promise.withResolvers<Query>();
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const query = Object.fromEntries(searchParams);
    const found = Object.keys(query).length > 0;
    response.writeHead(found ? 200 : 404, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
    response.end(found ? 'Signed in as far as this page goes. Look at the terminal; you can close this tab.\n' : 'Nothing here.\n');
    if (found) resolve(query);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    caught,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The query of a redirect address a person pasted; null when the text is none. */
export function pastedQuery(text: string): Query | null {
  const url = URL.parse(text.trim());
  const query = Object.fromEntries(url?.searchParams ?? []);
  return Object.keys(query).length > 0 ? query : null;
}
