import { z } from 'zod';
import type { OperationId } from '../../contract/index.ts';
import type { Random } from '../../server/clock.ts';
import { type Follower, follow } from '../events/sse.ts';
import type { Caller } from './caller.ts';
import { pause } from './spells.ts';
import { BROKER, TOKEN } from './stand.ts';

/** All that is read, and what is changed without a broker; in turn. */
const reads: readonly { operation: OperationId; path?: string; may?: RegExp }[] = [
  { operation: 'getProfile' },
  { operation: 'getFunds' },
  { operation: 'getHoldings' },
  { operation: 'getPositions' },
  { operation: 'planExits' },
  { operation: 'listOrders' },
  { operation: 'getOrder', path: '/broker/orders/no-such-order', may: /./ },
  { operation: 'getSupportedBrokers' },
  { operation: 'testSession' },
  { operation: 'getTradebook' },
  { operation: 'getQuotes', path: '/broker/quotes?instruments=NSE:SBIN,NSE:INFY,NSE_INDEX:NIFTY', may: /instrument file/ },
  { operation: 'getKillSwitch' },
  { operation: 'searchInstruments', path: '/broker/instruments?q=nifty+ce&limit=20', may: /instrument file/ },
  { operation: 'getInstrument', path: '/broker/instruments/NSE/SBIN', may: /instrument file/ },
  { operation: 'listEvents', path: '/broker/events?kind=order.&limit=50' },
  { operation: 'getAlerts' },
  { operation: 'getOverview' },
  { operation: 'listRecordedPositions' },
  { operation: 'listRecordedOrders' },
  { operation: 'listRecordedTrades' },
  { operation: 'listUsers' },
  { operation: 'getProfit' },
  { operation: 'getPrices', path: '/broker/prices?exchange=NSE&symbol=SBIN' },
  { operation: 'getLatencies' },
];
const READ_EVERY_MS = 500;

/** How long a pause of the work is at this moment, ms. */
export type Pace = (ms: number) => number;

const LONG_MINUTES = 100;
const RUSH = { share: 0.2, times: 8 };

/**
 * A long run begins as a market does: for a fifth of its time orders, reads, pages and streams come eight times as often, and nobody signs out. What V8 compiles, and the room it
 * takes for itself, are at their size before memory is judged; at an even pace that took hours, and hid what is kept.
 */
export function rushFor(minutes: number): { pace: Pace; overMs: number } {
  const overMs = minutes >= LONG_MINUTES ? minutes * 60_000 * RUSH.share : 0;
  const until = Date.now() + overMs;
  return { pace: (ms) => (Date.now() < until ? ms / RUSH.times : ms), overMs };
}

export async function readAll(caller: Caller, pace: Pace, over: AbortSignal): Promise<void> {
  for (let turn = 0; !over.aborted; turn += 1) {
    const { operation, ...options } = reads[turn % reads.length] ?? { operation: 'getFunds' };
    await caller.ask(operation, options);
    await pause(pace(READ_EVERY_MS), over);
  }
}

const PAGES_EVERY_MS = 10_000;

/** Console and docs with all their parts, as a browser that is opened anew; and a stranger. */
export async function openPages(caller: Caller, url: string, pace: Pace, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    for (const start of ['/console', '/docs']) {
      await caller.page(start);
      const text = await (await fetch(url + start)).text();
      for (const [, part] of text.matchAll(/(?:src|href)="(\/[^"#]+)"/g)) if (part) await caller.page(part);
    }
    await caller.page('/openapi.json');
    await caller.page('/no-such-page', 404);
    const stranger = await fetch(`${url}/broker/funds`, { headers: { Authorization: `Bearer ${'x'.repeat(40)}` } });
    caller.note(
      'stranger',
      { class: [401, 429].includes(stranger.status) ? 'well' : 'wrong', status: stranger.status, text: await stranger.text() },
      Date.now(),
    );
    await pause(pace(PAGES_EVERY_MS), over);
  }
}

const STANDING = 4;
const COMES_EVERY_MS = 4000;
const instruments = 'NSE:SBIN,NSE:INFY,NSE:TCS,NSE:RELIANCE,NSE:ITC';

/** Streams that stay, and one after the other that comes, reads a little and goes; half of these without a word. Numbers of events must only rise. */
export async function listen(url: string, random: Random, pace: Pace, over: AbortSignal): Promise<string[]> {
  const wrong: string[] = [];
  let last = 0;
  const open = (lastId: number) => {
    let before = lastId;
    const onMessage = ({ id }: { id: number | null }) => {
      if (id === null) return;
      if (id <= before) wrong.push(`an event ${id} came behind ${before}`);
      before = id;
      last = Math.max(last, id);
    };
    return follow({ url, token: TOKEN, lastId, instruments, keepText: false, onMessage });
  };
  const standing: Follower[] = [];
  while (!over.aborted) {
    const gone = standing.findIndex(({ isOver }) => isOver);
    if (gone >= 0) standing.splice(gone, 1);
    if (standing.length < STANDING) standing.push(await open(last));
    const guest = await open(last);
    if (guest.status !== 200) wrong.push(`a stream was answered ${guest.status}`);
    if (random.next() < 0.3) guest.pause();
    await pause(pace(COMES_EVERY_MS), over);
    guest.destroy();
  }
  for (const one of standing) one.destroy();
  return wrong;
}

const PERSON_EVERY_MS = 45_000;
const Added = z.object({ token: z.string() });

/** What a person does: signs out and in, turns the kill switch, makes a user and revokes it, tries the alerts. */
export async function administer(caller: Caller, over: AbortSignal): Promise<void> {
  const connect = () => caller.ask('connectBroker', { path: `/broker/connect?broker=${BROKER}` });
  const deeds = [
    async () => {
      await caller.ask('disconnectBroker', { may: /./ });
      await connect();
    },
    async () => {
      for (const on of [true, false]) await caller.ask('setKillSwitch', { body: { on } });
    },
    async () => {
      const added = Added.safeParse(JSON.parse((await caller.ask('addUser', { body: { name: 'guest' } })).text));
      if (added.success) await caller.ask('revokeUser', { body: { name: 'guest' } });
    },
    async () => void (await caller.ask('testAlerts')),
    connect,
  ];
  for (let turn = 0; !over.aborted; turn += 1) {
    await pause(PERSON_EVERY_MS, over);
    if (!over.aborted) await deeds[turn % deeds.length]?.();
  }
}

const LOOK_EVERY_MS = 5000;

/** Whoever strategy it is: where no broker is connected, it connects again. What a person would do after a login that ended. */
export async function reconnect(caller: Caller, url: string, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await pause(LOOK_EVERY_MS, over);
    const { broker } = z.object({ broker: z.string().nullable() }).parse(await (await fetch(`${url}/`)).json());
    if (broker === null && !over.aborted) await caller.ask('connectBroker', { path: `/broker/connect?broker=${BROKER}`, may: /./ });
  }
}
