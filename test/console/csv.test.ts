import { expect, it } from 'vitest';
import { csvOf } from '../../server/http/console/page/state/csv.ts';

const lines = (...values: unknown[]) =>
  csvOf(
    ['value', 'next'],
    values.map((value) => ({ value, next: 1 })),
  )
    .replace('\ufeff', '')
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.replace(/,1$/, ''));

it('writes what a spreadsheet reads back', () => {
  expect(csvOf(['a', 'b'], [{ a: 'x', b: 'y,"z"' }])).toBe('\ufeffa,b\r\nx,"y,""z"""\r\n');
  expect(lines('two\nlines', null, undefined, true, { a: 1 })).toEqual(['"two\nlines"', '', '', 'true', '"{""a"":1}"']);
});

it('leaves nothing that a spreadsheet would run', () => {
  expect(lines('=1+1', '+1+1', '-1+cmd', '@SUM(A1)', '\t=1', '=HYPERLINK("x")')).toEqual([
    "'=1+1",
    "'+1+1",
    "'-1+cmd",
    "'@SUM(A1)",
    "'\t=1",
    '"\'=HYPERLINK(""x"")"',
  ]);
});

it('keeps numbers numbers', () => {
  expect(lines(-12.5, '-12.5', 812.35, '1953341975595868160')).toEqual(['-12.5', '-12.5', '812.35', '1953341975595868160']);
});
