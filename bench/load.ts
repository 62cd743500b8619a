import type { Pool } from 'undici';
import { z } from 'zod';
import { systemClock } from '../server/clock.ts';
import { instruments } from '../server/exchange/instruments.ts';
import { serve } from './children.ts';
import { createPool, createUpstream, type Order } from './upstream.ts';

/** A process: the callers. One job is so many callers that each place one order after the other, and wait for its fill. */
export const Job = z.object({
  /** replay: the first order of an earlier gateway job of this name, asked for again and again. */
  lane: z.enum(['direct', 'proxy', 'journal', 'gateway', 'before', 'replay']),
  origin: z.string(),
  token: z.string(),
  callers: z.int(),
  /** Orders of each caller; even, so that every position is closed at the end. */
  orders: z.int(),
  /** A caller's order begins so long after the one before it at the earliest, ms. */
  everyMs: z.int(),
  /** Beginning of the orders' keys. */
  name: z.string(),
});
export type Job = z.infer<typeof Job>;

export const Done = z.object({ latenciesMs: z.array(z.number()), cpuMs: z.number(), wallMs: z.number() });
export type Done = z.infer<typeof Done>;

const symbols = instruments.filter(({ exchange }) => exchange === 'NSE').map(({ symbol }) => symbol);
const senders = new Map<string, (order: Order) => Promise<void>>();

async function run(job: Job): Promise<Done> {
  const name = `${job.lane} ${job.origin}`;
  const send = senders.get(name) ?? sender(job);
  senders.set(name, send);
  const latenciesMs: number[] = [];
  const cpu = process.cpuUsage();
  const began = performance.now();
  const callers = Array.from({ length: job.callers }, async (_, caller) => {
    for (let index = 0; index < job.orders; index += 1) {
      await systemClock.sleep(Math.max(0, began + index * job.everyMs - performance.now()));
      const from = performance.now();
      await send(orderOf(job, caller, job.lane === 'replay' ? 0 : index));
      latenciesMs.push(performance.now() - from);
    }
  });
  await Promise.all(callers);
  const { user, system } = process.cpuUsage(cpu);
  return { latenciesMs, cpuMs: (user + system) / 1000, wallMs: performance.now() - began };
}

/** Buys and sells in turn, in symbols no other caller uses. */
function orderOf({ callers, name }: Job, caller: number, index: number): Order {
  const symbol = symbols[(caller + callers * Math.floor(index / 2)) % symbols.length] ?? '';
  return { symbol, side: index % 2 === 0 ? 'BUY' : 'SELL', key: `${name}c${caller}n${index}` };
}

function sender({ lane, origin, token }: Job): (order: Order) => Promise<void> {
  if (lane === 'direct') return createUpstream(origin);
  const pool = createPool(origin);
  if (lane === 'proxy' || lane === 'journal') return async (order) => void (await post(pool, '/', {}, order));
  const wanted = lane === 'replay' ? 'true' : undefined;
  return async ({ symbol, side, key }) => {
    const body = { ...fixed, symbol, transaction_type: side, idempotency_key: key };
    const { text, replayed } = await post(pool, '/broker/orders/place', { authorization: `Bearer ${token}` }, body);
    if (!text.includes('"fill_status":"FILLED"') || replayed !== wanted)
      throw new Error(`${side} ${symbol}, replayed ${replayed}: ${text}`);
  };
}

const fixed = { token: '1', exchange: 'NSE', order_type: 'MARKET', product_type: 'INTRADAY', quantity: 1 };

async function post(pool: Pool, path: string, extra: Record<string, string>, body: object) {
  const headers = { 'content-type': 'application/json', ...extra };
  const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return { text, replayed: answer.headers['idempotency-replayed'] };
}

serve(Job, run);
