import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packedRows, serveFile, startInstruments, zerodha } from './parts.ts';

interface Contract {
  underlying: string;
  expiry: string;
  strike: number;
  kind: 'CE' | 'PE' | 'FUT';
}

const months = { '2099-11-24': '24NOV99', '2099-12-29': '29DEC99' } as const;
const row = ({ underlying, expiry, strike, kind }: Contract) =>
  `${underlying}${expiry}${strike || ''}${kind},${underlying},0,${expiry},${strike},0.05,50,${kind},NFO-${kind === 'FUT' ? 'FUT' : 'OPT'},NFO`;
const name = ({ underlying, expiry, strike, kind }: Contract) =>
  `NFO:${underlying}${months[expiry as keyof typeof months]}${kind === 'FUT' ? '' : strike}${kind}`;
const placeOf = (one: Contract) => [one.expiry, one.kind === 'FUT' ? -1 : one.strike, name(one)] as const;

function inOrder(contracts: readonly Contract[]): string[] {
  const ordered = contracts.toSorted((a, b) => {
    const [left, right] = [placeOf(a), placeOf(b)];
    return left[0].localeCompare(right[0]) || left[1] - right[1] || (left[2] < right[2] ? -1 : 1);
  });
  return ordered.map(name);
}

/** 48 chains of random strikes, most of which begin elsewhere. */
const chains = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 12 }), fc.boolean()), {
  minLength: 48,
  maxLength: 48,
});

test('pages through many chains come as one list in order, each contract once', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  const [shapes = []] = fc.sample(chains, { seed, numRuns: 1 });
  const contracts = shapes.flatMap(([lowest, many, future], at): Contract[] => {
    const of = { underlying: `U${String.fromCharCode(65 + (at % 24))}`, expiry: at < 24 ? '2099-11-24' : '2099-12-29' };
    const options = Array.from(
      { length: many },
      (_, step) => ({ ...of, strike: (lowest + step) * 100, kind: step % 3 ? 'CE' : 'PE' }) as const,
    );
    return future ? [...options, { ...of, strike: 0, kind: 'FUT' }] : options;
  });
  const server = await serveFile(packedRows(contracts.map(row)));
  const here = await startInstruments(server.address);
  try {
    here.instruments.follow(zerodha);
    await here.loaded();
    for (const [q, fits] of [
      ['ce', ({ kind }: Contract) => kind === 'CE'],
      ['fut', ({ kind }: Contract) => kind === 'FUT'],
      ['3000', ({ strike }: Contract) => strike === 3000],
      ['u', () => true],
    ] as const) {
      for (const limit of ['1', '7', '500']) {
        const paged: string[] = [];
        for (let after: string | null | undefined; after !== null; ) {
          const page = await here.instruments.of('zerodha')?.search({ q, limit, ...(after && { after }) });
          paged.push(...(page?.rows ?? []).map((one) => one.instrument));
          after = page?.next ?? null;
        }
        expect(paged, `seed ${seed}, "${q}" by ${limit}`).toEqual(inOrder(contracts.filter(fits)));
      }
    }
  } finally {
    await here.close();
    await server.close();
  }
});
