import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { brokerIds } from '../../contract/words.ts';
import { askAll, type Capabilities } from './capabilities.ts';
import { page } from './capability-page.ts';

let all: Capabilities[];
beforeAll(async () => {
  all = await askAll();
});

it('docs/capabilities.md is what the adapters do: else run node test/brokers/capability-page.ts > docs/capabilities.md', () => {
  expect(readFileSync(new URL('../../docs/capabilities.md', import.meta.url), 'utf8')).toBe(page(all));
});

it('a part that a broker lacks without a reason is an error', () => {
  const bare = all.map((one) => ({ ...one, has: { ...one.has, tradebook: false } }));
  expect(() => page(bare)).toThrow('tradebook');
});

describe.each(brokerIds)('every combination of the contract’s words at %s', (id) => {
  const mine = () => all.find((one) => one.id === id);
  it('is sent, or refused in words that name the field', () => {
    const { asked, sent, refused } = mine() ?? { asked: 0, sent: 0, refused: [] };
    expect(asked).toBe(216);
    expect(sent).toBeGreaterThanOrEqual(36);
    for (const { message } of refused) expect(message).toMatch(/^(exchange|order_type|product_type|variety): /);
  });
  it('a plain order for a share is sent in all four types', () => {
    const plain = (mine()?.refused ?? []).filter(
      (one) => one.exchange === 'NSE' && one.producttype !== 'CARRYFORWARD' && one.variety === 'NORMAL',
    );
    expect(plain).toEqual([]);
  });
});
