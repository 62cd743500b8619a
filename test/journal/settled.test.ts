import { expect, it } from 'vitest';
import { attempt, event, inState, NOW, onBoth } from './parts.ts';

onBoth((bench) => {
  it('tells the candidates last noted for an attempt, and none of an earlier one under its key', async () => {
    const { journal } = bench();
    const { key, tag } = attempt();
    const note = (of: string, candidates: string[]) => journal.note({ kind: 'order.candidates', key, detail: { candidates, tag: of } });
    expect(await journal.candidates({ key, tag })).toEqual([]);
    await note(tag, ['1', '2']);
    await note(tag, ['2']);
    await note('before', ['3']);
    await journal.note({ kind: 'order.test', key, detail: { tag } });
    expect(await journal.candidates({ key, tag })).toEqual(['2']);
    expect(await journal.candidates({ key: 'k:two', tag })).toEqual([]);
  });

  it('records an order of the past and its fill, and leaves positions as they are', async () => {
    const { journal } = bench();
    const given = await inState(journal, 'UNRESOLVED');
    const truth = { orderId: '77', status: 'FILLED', filledQuantity: 10, averagePrice: 100.25 } as const;
    await journal.move(given, 'DONE', { orderId: '77', filledQuantity: 10 }, event, NOW, { ...truth, past: true });
    expect(await journal.openRecords()).toEqual({ orders: [], positions: [] });
    expect(await journal.owners('zerodha', 'AB1234', given.tradingDay, ['77'])).toEqual(new Map([['77', given.key]]));
    const next = await inState(journal, 'AMBIGUOUS', { key: 'k:two', tag: 'two' });
    await journal.move(next, 'DONE', { orderId: '78', filledQuantity: 10 }, event, NOW, { ...truth, orderId: '78' });
    expect(await journal.openRecords()).toMatchObject({ positions: [{ symbol: 'SBIN', net: 10 }] });
  });
});
