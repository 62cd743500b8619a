import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { type Follower, follow } from '../events/sse.ts';

/*
 * A listening client as a process of its own: `node client.ts FILE`. It appends the number of each event to the file before it goes on to the next, and begins
 * behind the last whole line of it. Its parent tells where the gateway is, and when to drop the connection.
 */

const Told = z.object({ url: z.string().optional(), token: z.string().optional(), drop: z.boolean().optional() });

const PAUSE_MS = 20;
const [, , file = ''] = process.argv;
const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
let lastId = Number(lines.at(-1) ?? 0);
const out = openSync(file, 'a');
let [url, token] = ['', ''];
let current: Follower | null = null;

process.on('message', (message) => {
  const told = Told.parse(message);
  url = told.url ?? url;
  token = told.token ?? token;
  if (told.drop) current?.destroy();
});
process.on('disconnect', () => {
  closeSync(out);
  process.exit(0);
});

async function listen(): Promise<void> {
  current = await follow({
    url,
    token,
    lastId,
    keepText: false,
    onMessage: ({ id }) => {
      if (id === null) return;
      writeSync(out, `${id}\n`);
      lastId = id;
    },
  });
  if (current.status === 200) await current.over;
  else current.destroy();
}

process.send?.('ready');
for (;;) {
  if (url !== '') await listen().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
