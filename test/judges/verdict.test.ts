import { expect, test } from 'vitest';
import { cells, type OwnFault, type Said, table, weigh } from './verdict.ts';

const fine: Said = Object.fromEntries(cells.map((cell) => [cell, 'ok']));
const known: OwnFault[] = [{ broker: 'dhan', cell: 'modify', says: 'missing leg', reason: 'sends no leg' }];

test('what went well, what is not offered, and what failed', () => {
  const { marks, surprises } = weigh('zerodha', { ...fine, holdings: '-', LIMIT: 'AssertionError: no order id' }, known);
  expect([marks['sign-in'], marks.holdings, marks.LIMIT]).toEqual(['ok', '-', 'FAILED']);
  expect(surprises).toEqual(['zerodha, LIMIT: AssertionError: no order id']);
});

test('a known fault of the SDK is none of ours, as long as it is the one that is known', () => {
  const weighed = (modify: string) => weigh('dhan', { ...fine, modify }, known);
  expect(weighed('Error: missing leg name')).toMatchObject({ marks: { modify: 'own fault' }, surprises: [] });
  expect(weighed('ok').surprises).toEqual(["dhan, modify: the SDK's fault (missing leg) is gone: ok"]);
  expect(weighed('KeyError').surprises).toHaveLength(2);
});

test('a judge that dies has failed in every cell it did not name', () => {
  expect(weigh('dhan', {}, []).surprises).toHaveLength(cells.length);
});

test('the table has a row a broker', () => {
  expect(table(new Map([['zerodha', weigh('zerodha', fine, [])]])).split('\n')).toEqual([
    `| broker | ${cells.join(' | ')} |`,
    `| ${['', ...cells].map(() => '---').join(' | ')} |`,
    `| zerodha | ${cells.map(() => 'ok').join(' | ')} |`,
  ]);
});
