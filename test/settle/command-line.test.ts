import { describe, expect, it } from 'vitest';
import { parseCommand, UsageError } from '../../server/settle/command-line.ts';
import { createTestDatabase } from '../support/database.ts';
import { orders } from './command.ts';

const read = (line: string) => parseCommand(line.split(' ').filter(Boolean), 'me@here');
const filled = { command: 'filled', key: 'k:one', quantity: 10, price: '100.55', orderId: null, reason: '', by: 'me@here' };

describe('a command line', () => {
  it.each([
    ['list', { command: 'list' }],
    ['resolve k:one --filled 10 --at 100.55', filled],
    ['resolve --at=100.55 --filled=10 k:one --order 2411-A', { ...filled, orderId: '2411-A' }],
    ['resolve one --absent --reason nothing', { command: 'absent', key: 'one', reason: 'nothing', by: 'me@here' }],
  ])('%s', (line, asked) => {
    expect(read(line)).toEqual(asked);
  });

  it.each([
    ['', ''],
    ['settle one', 'settle one'],
    ['list k:one', 'list k:one'],
    ['list --absent', '--absent'],
    ['list --all', "'--all'"],
    ['resolve', 'KEY'],
    ['resolve one two --absent', 'one two'],
    ['resolve one', '--filled'],
    ['resolve one --fill 10', "'--fill'"],
    ['resolve one --filled 10', '--at'],
    ['resolve one --absent --filled 10', '--filled'],
    ['resolve one --absent --at 10', '--at'],
    ['resolve one --absent --order 7', '--order'],
    ['resolve one --filled 10 --filled 11 --at 5', '--filled'],
    ...['0', '-1', '1.5', '1e2', '010', '0x10', 'ten', '1000000000001', '9007199254740993', '١'].map((text) => [
      `resolve one --filled=${text} --at 5`,
      `--filled: "${text}"`,
    ]),
    ...['0', '0.0000', '-5', '1e2', '.5', '5.', '1.23456', '1,000', '12345678901', 'NaN', 'Infinity'].map((text) => [
      `resolve one --filled 10 --at=${text}`,
      `--at: "${text}"`,
    ]),
    ['resolve one --filled 10 --at 5 --order=a\u0000b', '--order'],
    [`resolve one --filled 10 --at 5 --order ${'7'.repeat(65)}`, '--order'],
    [`resolve one --absent --reason ${'x'.repeat(501)}`, '--reason'],
  ])('%s is not understood, and says what', (line, word) => {
    expect(() => read(line ?? '')).toThrow(UsageError);
    expect(() => read(line ?? '')).toThrow(word);
  });
});

it('exits with 2 where it does not understand, and with 1 where no gateway runs, which changes nothing', async () => {
  const database = await createTestDatabase({ empty: true });
  const misused = await orders({ DATABASE_URL: database.url }, 'resolve', 'one', '--filled', '10', '--price', '5');
  expect(misused).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/'--price'[\s\S]*Usage: npm run orders/) });
  const nobody = { code: 1, out: '', err: expect.stringContaining('No gateway runs') };
  expect(await orders({ DATABASE_URL: database.url }, 'resolve', 'one', '--absent')).toMatchObject(nobody);
  // An embedded database that does not run is not started.
  expect(await orders({ DATA_DIR: '/nonexistent/gateway' }, 'list')).toMatchObject(nobody);
  const unreachable = await orders({ DATABASE_URL: 'postgres://127.0.0.1:1/none' }, 'list');
  expect(unreachable).toMatchObject({ code: 1, err: expect.stringContaining('cannot be used') });
  expect(await orders({ GATEWAY_MODE: 'dry' }, 'list')).toMatchObject({ code: 1, err: expect.stringMatching(/^GATEWAY_MODE/) });
});
