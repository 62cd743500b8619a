import { expect, it } from 'vitest';
import type { Journal } from '../../server/orders/attempt.ts';
import { sbin, startGateway } from '../support/gateway.ts';

it('an order that is being written down while its session is replaced is still read to its fill', async () => {
  const sending = Promise.withResolvers<void>();
  const replaced = Promise.withResolvers<void>();
  const journal = (real: Journal): Journal => {
    const slow = Object.create(real) as Journal;
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(real)) as (keyof Journal)[]) {
      if (typeof real[name] === 'function') Object.assign(slow, { [name]: real[name].bind(real) });
    }
    slow.move = async (...args) => {
      if (args[1] === 'SENDING') {
        sending.resolve();
        await replaced.promise;
      }
      return await real.move(...args);
    };
    return slow;
  };
  const gateway = await startGateway({ overrides: { journal } });
  try {
    const placed = gateway.place({ ...sbin, idempotency_key: 'between' });
    await sending.promise;
    expect((await gateway.call('POST', '/broker/disconnect')).body.success).toBe(true);
    replaced.resolve();
    expect((await placed).body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
  } finally {
    await gateway.stop();
  }
}, 30_000);
