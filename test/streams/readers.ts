import { request } from 'node:http';
import { z } from 'zod';

/** A process: many streams, read with as little work as can be. Asked for its figures, it tells them and begins new ones. */
const Asked = z.union([
  z.object({ url: z.string(), token: z.string(), streams: z.number(), instruments: z.string() }),
  z.object({ figures: z.literal(true) }),
]);

/** The start of each event, which JSON text cannot hold. */
const ID = Buffer.from('\nid: ');
const TICK = Buffer.from('event: tick\n');
const AT = '"at":"';

let lagsMs: number[] = [];
let ticks = 0;
let bytes = 0;
let open = 0;
/** Numbers each stream was told, to hold them against each other. */
let told: number[][] = [];

function openStream(url: string, token: string, instruments: string): Promise<void> {
  const numbers: number[] = [];
  told.push(numbers);
  return new Promise((resolve, reject) => {
    const query = `?instruments=${encodeURIComponent(instruments)}`;
    const asked = request(`${url}/broker/stream${query}`, { headers: { Authorization: `Bearer ${token}` }, agent: false });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      open += 1;
      let rest: Buffer = Buffer.alloc(0);
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        const all = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
        // A message that has not come whole waits for the next chunk.
        const end = all.lastIndexOf('\n\n') + 2;
        if (end < 2) {
          rest = all;
          return;
        }
        rest = Buffer.from(all.subarray(end));
        scan(all.subarray(0, end), numbers);
      });
      answer.on('close', () => {
        open -= 1;
      });
      resolve();
    });
    asked.end();
  });
}

function scan(text: Buffer, numbers: number[]): void {
  const now = Date.now();
  // A message may begin the chunk: its id is then not behind a line end.
  if (text.subarray(0, 4).toString() === 'id: ') note(text.toString('utf8', 0, Math.max(0, text.indexOf('\n\n'))), now, numbers);
  for (let at = text.indexOf(ID); at >= 0; at = text.indexOf(ID, at + 1))
    note(text.toString('utf8', at + 1, text.indexOf('\n\n', at + 1)), now, numbers);
  for (let at = text.indexOf(TICK); at >= 0; at = text.indexOf(TICK, at + TICK.length)) ticks += 1;
}

function note(message: string, now: number, numbers: number[]): void {
  const at = message.indexOf(AT);
  if (at < 0) return;
  numbers.push(Number(/^id: (\d+)/.exec(message)?.[1]));
  lagsMs.push(now - Date.parse(message.slice(at + AT.length, at + AT.length + 24)));
}

process.on('disconnect', () => process.exit(0));
process.on('message', async (message) => {
  const asked = Asked.parse(message);
  if ('streams' in asked) {
    for (let index = 0; index < asked.streams; index += 1) await openStream(asked.url, asked.token, asked.instruments);
    process.send?.({ open });
    return;
  }
  const agree = told.filter((numbers) => numbers.every((id, index) => index === 0 || id > (numbers[index - 1] ?? 0))).length;
  process.send?.({ open, ticks, bytes, lagsMs, ordered: agree, told: told.map((numbers) => numbers.length) });
  [lagsMs, ticks, bytes] = [[], 0, 0];
  told = told.map((numbers) => {
    numbers.length = 0;
    return numbers;
  });
});
process.send?.({ ready: true });
