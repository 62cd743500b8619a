import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Profile = z.object({
  nodes: z.array(z.object({ id: z.number(), callFrame: z.object({ functionName: z.string(), url: z.string() }) })),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});
type Frame = z.infer<typeof Profile>['nodes'][number]['callFrame'];

/** Who uses the processor: the first that fits the place of a function, or its name where it has none. */
const users: readonly (readonly [who: string, fits: RegExp])[] = [
  ['waiting', /^\((idle|root)\)/],
  ['collecting garbage', /^\(garbage collector\)/],
  ['the kernel: bytes written to sockets', /^(writeBuffer|writeLatin1String|writeUtf8String|writev|shutdown)\b/],
  ['undici: calls of the broker', /node_modules\/undici\/|wasm/],
  ['postgres.js: statements', /node_modules\/postgres\//],
  [
    'express, tRPC, trpc-to-openapi: the route',
    /node_modules\/(express|router|helmet|@trpc|trpc-to-openapi|openapi3-ts|[^/]*cookie|send|qs)\/|node:_http/,
  ],
  ['zod: what comes in is checked', /node_modules\/zod\//],
  ['other libraries', /node_modules\//],
  ['server/brokers', /server\/brokers\//],
  ['server/orders', /server\/orders\//],
  ['server/journal, books, db', /server\/(journal|books|db)\//],
  ['the rest of server/ and contract/', /(server|contract|drizzle)\//],
  ["Node's sockets, streams and timers", /./],
];

/** Shares of the busy time of a recorded CPU profile, its first third left out: code is compiled then. */
export function cpuShares(directory: string): { who: string; share: number }[] {
  const [file = ''] = readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .sort((a, b) => b.length - a.length);
  const { nodes, samples, timeDeltas } = Profile.parse(JSON.parse(file));
  const whose = new Map(nodes.map(({ id, callFrame }) => [id, userOf(callFrame)]));
  const times = new Map<string, number>();
  let busy = 0;
  samples.forEach((id, index) => {
    const who = whose.get(id) ?? '';
    if (index < samples.length / 3 || who === 'waiting') return;
    const time = timeDeltas[index] ?? 0;
    times.set(who, (times.get(who) ?? 0) + time);
    busy += time;
  });
  return users.flatMap(([who]) => (times.has(who) ? { who, share: (times.get(who) ?? 0) / busy } : []));
}

function userOf({ url, functionName }: Frame): string {
  const place = functionName.startsWith('(') || url === '' ? functionName : url;
  return users.find(([, fits]) => fits.test(place))?.[0] ?? '';
}
