import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

type Row = Record<string, unknown>;

/** What stands between adapter and emulator: which rows of any answer change, and into what. */
export interface Change {
  /** Rows with all these members, wherever they stand. */
  has: string[];
  /** The row that takes its place; null for none, several for more. */
  to(row: Row): Row | Row[] | null;
}

export interface Between {
  origin: string;
  close(): Promise<void>;
}

/** Passes everything on to `target`; answers come back with their rows changed, and their Date moved by `laterMs`. */
export async function between(target: string, change: Change | null, laterMs = 0): Promise<Between> {
  const tunnels = new Set<{ destroy(): void }>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host: _, connection: __, ...headers } = request.headers;
    const body = Buffer.concat(chunks);
    try {
      const answer = await fetch(`${target}${request.url}`, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        redirect: 'manual',
        ...(body.length > 0 && { body }),
      });
      const text = (await answer.text()).replaceAll(target, own);
      const told = Object.fromEntries(
        [...answer.headers].filter(([name]) => !/^(content-length|transfer-encoding|connection|keep-alive)$/.test(name)),
      );
      if (told.date) told.date = new Date(Date.parse(told.date) + laterMs).toUTCString();
      response.writeHead(answer.status, told).end(change ? changed(text, change) : text);
    } catch {
      request.socket.destroy();
    }
  });
  // Sockets of feeds pass as they are.
  server.on('upgrade', (request, socket, head) => {
    const { hostname, port } = new URL(target);
    const onward = connect(Number(port), hostname, () => {
      const lines = request.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []));
      onward.write([`GET ${request.url} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) end.on('error', () => [socket, onward].map((each) => each.destroy()));
    tunnels.add(onward);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin: own,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
        for (const tunnel of tunnels) tunnel.destroy();
      }),
  };
}

function changed(text: string, change: Change): string {
  try {
    return JSON.stringify(walked(JSON.parse(text), change));
  } catch {
    return text;
  }
}

function walked(value: unknown, change: Change): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((each) => {
      const next = walked(each, change);
      return next === null && each !== null ? [] : [next].flat();
    });
  }
  if (typeof value !== 'object' || value === null) return value;
  const row = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, walked(each, change)]));
  return change.has.every((name) => name in row) ? change.to(row) : row;
}
