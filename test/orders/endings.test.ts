import { describe, expect, it } from 'vitest';
import { Entry } from '../../server/orders/entry.ts';
import { stand } from './answer-stand.ts';
import { attempt } from './parts.ts';

describe("a fingerprint's answer", () => {
  it('ends once an opposite order, begun after it was delivered, has filled', async () => {
    const { clock, order, stands, sent, filled } = stand();
    sent(await order('f:in'))();
    await clock.pass(10);
    filled(await order('k:out', 'SELL'));
    expect(await stands('f:in')).toBe(false);
  });
  it('of a sale ends with a purchase', async () => {
    const { clock, order, stands, sent, filled } = stand();
    sent(await order('f:out', 'SELL'))();
    await clock.pass(10);
    filled(await order('k:in', 'BUY'));
    expect(await stands('f:out')).toBe(false);
  });
  it('ends with those of all orders in its instrument that wait for that side', async () => {
    const { clock, order, stands, sent, filled } = stand();
    for (const key of ['f:1', 'f:2']) sent(await order(key))();
    sent(await order('f:3', 'SELL'))();
    await clock.pass(10);
    filled(await order('k:out', 'SELL'));
    expect([await stands('f:1'), await stands('f:2'), await stands('f:3')]).toEqual([false, false, true]);
  });
  it.each<[string, string, boolean, number]>([
    ['on its own side', 'BUY', true, 10],
    ['begun before it was delivered', 'SELL', true, -10],
    ['begun in that moment', 'SELL', true, 0],
    ['while it was never delivered', 'SELL', false, 10],
  ])('stays when an order fills %s', async (_, side, delivered, afterMs) => {
    const { clock, order, stands, sent, filled } = stand();
    const written = sent(await order('f:in'));
    await clock.pass(10);
    const early = await order('k:early', side);
    if (afterMs < 0) await clock.pass(10);
    if (delivered) written();
    if (afterMs > 0) await clock.pass(afterMs);
    filled(afterMs > 0 ? await order('k:late', side) : early);
    expect(await stands('f:in')).toBe(true);
  });
  it('is delivered once: the first time counts', async () => {
    const { clock, order, stands, sent, filled } = stand();
    const written = sent(await order('f:in'));
    written();
    await clock.pass(10);
    const out = await order('k:out', 'SELL');
    await clock.pass(10);
    written();
    filled(out);
    expect(await stands('f:in')).toBe(false);
  });
  it('stays when another instrument fills, and when the order was taken over from an earlier process', async () => {
    const { clock, order, stands, sent, filled } = stand();
    sent(await order('f:in'))();
    await clock.pass(10);
    filled(await order('k:out', 'SELL'), { symbol: 'INFY' });
    const old = new Entry('k:old', 'hash', null);
    old.hold(attempt({ side: 'SELL' }));
    filled(old);
    expect(await stands('f:in')).toBe(true);
  });
  it('of a caller’s key stays for all its life', async () => {
    const { clock, order, stands, sent, filled } = stand();
    sent(await order('k:in'))();
    await clock.pass(10);
    filled(await order('k:out', 'SELL'));
    expect(await stands('k:in')).toBe(true);
  });
});

describe('what an open position blocked', () => {
  it('ends with any fill in its instrument, and its own order’s is none', async () => {
    const { blocked, order, stands, filled } = stand();
    const own = await order('k:blocked');
    blocked('k:blocked');
    filled(own);
    expect(await stands('k:blocked')).toBe(true);
    filled(await order('k:other', 'BUY'));
    expect(await stands('k:blocked')).toBe(false);
  });
  it('ends also where the fill came in while it was being stored', async () => {
    const { clock, journal, blocked, order, stands, filled } = stand();
    const stored = blocked('k:blocked');
    filled(await order('k:other'));
    await clock.pass(10);
    await order('k:blocked');
    expect(await journal.find('k:blocked', clock.now())).not.toBeNull();
    stored();
    expect(await stands('k:blocked')).toBe(false);
  });
  it('does not end a later answer under the same key', async () => {
    const { blocked, order, stands, filled } = stand();
    await order('k:blocked');
    blocked('k:blocked', 60_000, 'another');
    filled(await order('k:other'));
    expect(await stands('k:blocked')).toBe(true);
  });
});
