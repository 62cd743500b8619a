import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fixtures } from '../brokers/stub-server.ts';
import { practice } from './practice.ts';

type Row = Record<string, unknown>;
const rows = z.array(z.record(z.string(), z.unknown()));
/** Kite answers positions with two lists, of which one is what is held. */
const data = z.union([rows, z.looseObject({ net: rows }).transform(({ net }) => net)]);

const lists = { positions: 'positions', orders: 'orders', trades: 'tradebook', holdings: 'holdings' } as const;

/** What kind of value a member has in these rows. */
const kinds = (name: string, all: readonly Row[]) =>
  all.flatMap((row) => (name in row ? [row[name] === null ? 'null' : typeof row[name]] : []));

describe.each(['zerodha', 'upstox'] as const)('the emulator of %s', (id) => {
  const { order, place, call } = practice(id, { SBIN: '800' });
  const captured = fixtures(id).many('captured');

  it.each(Object.keys(lists) as (keyof typeof lists)[])('%s have the members of the real rows, of their kinds', async (name) => {
    await place(order('SBIN', { idempotency_key: 'one' }));
    const real = data.parse(captured[name]?.body.data);
    const { body } = await call('GET', `/broker/${lists[name]}`);
    const ours = rows.parse(body.data);
    expect(ours.length).toBeGreaterThan(0);
    const names = [...new Set(ours.flatMap((row) => Object.keys(row)))];
    expect(names.filter((each) => !real.some((row) => each in row))).toEqual([]);
    expect(Object.keys(real[0] ?? {}).filter((each) => real.every((row) => each in row) && !names.includes(each))).toEqual([]);
    expect(names.filter((each) => kinds(each, ours).some((kind) => !kinds(each, real).includes(kind)))).toEqual([]);
  });
});
