import type { OrderRow } from '../../server/brokers/broker.ts';
import { Core } from './core.ts';

/** A core with one order that was sent and whose fate nobody told; `show` puts its row into the order book. */
export async function lost(start?: string) {
  const core = new Core(start ? { start } : {});
  core.broker.place = async () => ({ fate: 'unknown', order_id: '', message: 'HTTP 502' });
  const began = core.clock.mono();
  const first = await core.place();
  const [send] = core.broker.sends;
  if (!send) throw new Error('Nothing was sent');
  const show = (change: Partial<OrderRow> = {}) => void core.broker.book.push(core.broker.row(send.order, send.tag, change));
  return { core, first, show, began, tag: send.tag };
}

/** What became of the order, and how long after its request, ms. */
export async function ended(core: Core) {
  const record = await core.record();
  if (!record) throw new Error('No record stands');
  const { state, fillStatus, resolvedAt, startedAt } = record;
  return { state, fillStatus, afterMs: resolvedAt && resolvedAt - startedAt };
}
