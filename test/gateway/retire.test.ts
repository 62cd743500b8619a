import { expect, it } from 'vitest';
import type { Journal } from '../../server/journal/journal.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';

/** A journal that waits for `go` before it writes SENDING, and says when it got there. */
function slowJournal(go: Promise<void>, there: () => void) {
  return (real: Journal): Journal => {
    const slow = Object.create(real) as Journal;
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(real)) as (keyof Journal)[]) {
      if (typeof real[name] === 'function') Object.assign(slow, { [name]: real[name].bind(real) });
    }
    slow.begin = async (...args) => {
      there();
      await go;
      return await real.begin(...args);
    };
    return slow;
  };
}

const placedAt = (gateway: TestGateway) => gateway.context.exchange?.exchange.ledger().requests.length;

it('an order that is being written down while its session is replaced does not leave any more', async () => {
  const sending = Promise.withResolvers<void>();
  const replaced = Promise.withResolvers<void>();
  const gateway = await startGateway({ overrides: { journal: slowJournal(replaced.promise, sending.resolve) } });
  try {
    const placed = gateway.place({ ...sbin, idempotency_key: 'between' });
    await sending.promise;
    expect((await gateway.call('POST', '/broker/disconnect')).body.success).toBe(true);
    replaced.resolve();
    const { body, headers } = await placed;
    expect(body).toEqual({ success: false, message: 'The broker session changed before the order was sent' });
    expect(headers.get('retry-after')).toBe('1');
    expect(placedAt(gateway)).toBe(0);
    // Nothing of it is left: the same key may be placed with the next session.
    expect(await gateway.context.sql`select key from idempotency_records`).toHaveLength(0);
  } finally {
    await gateway.stop();
  }
}, 30_000);

it('an order that is on its way when its session ends is awaited by the disconnect, and still read to its fill', async () => {
  const gateway = await startGateway();
  try {
    const { exchange } = gateway.context;
    exchange?.faults.plant({ kind: 'delay', operation: 'place', delayMs: 700 });
    let answered = false;
    const placed = gateway.place({ ...sbin, idempotency_key: 'on its way' }).finally(() => {
      answered = true;
    });
    await expect.poll(() => placedAt(gateway), { interval: 5 }).toBe(1);
    expect(answered).toBe(false);
    expect((await gateway.call('POST', '/broker/disconnect')).body.success).toBe(true);
    expect((await placed).body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
  } finally {
    await gateway.stop();
  }
}, 30_000);
