import { describe, expect, test } from 'vitest';
import { InstrumentNames, tradedByNumber, tradedBySymbol } from '../../server/brokers/instrument.ts';

const name = (symbol: string, token: string | null = null, exchange = 'NSE') => ({ exchange, symbol, token });

describe('a broker that trades by token', () => {
  test('one key for every spelling of the token and whatever symbol stands beside it; one of its own on each exchange', () => {
    const names = new InstrumentNames(tradedByNumber);
    expect(names.key(name('SBIN', '02885'))).toBe(names.key(name('SBIN-EQ', '2885')));
    expect(names.key(name('SBIN', '2885'))).not.toBe(names.key(name('SBIN', '2886')));
    expect(names.key(name('SBIN', '2885'))).not.toBe(names.key(name('SBIN', '2885', 'BSE')));
  });

  test('a name without its token goes by the token that a row has taught, of its exchange alone', () => {
    const names = new InstrumentNames(tradedByNumber);
    expect(names.learn(name('SBIN', '2885'))).toBeNull();
    expect(names.key(name('sbin '))).toBe(names.key(name('X', '2885')));
    expect(names.key(name('SBIN', null, 'BSE'))).not.toBe(names.key(name('X', '2885', 'BSE')));
    expect(names.key(name('SBIN', 'no number'))).toBe(names.key(name('X', '2885')));
  });

  test('a token learned after the key was given out tells both keys, once; a key nobody was given is not told of', () => {
    const names = new InstrumentNames(tradedByNumber);
    const before = names.key(name('SBIN'));
    const merged = names.learn(name('SBIN', '2885'));
    expect(merged).toEqual({ from: before, to: names.key(name('SBIN')) });
    expect(merged?.to).toBe(names.key(name('SBIN-EQ', '2885')));
    expect(names.learn(name('SBIN', '2885'))).toBeNull();
    expect(names.learn(name('SBIN'))).toBeNull();
    expect(names.learn(name('INFY', '1594'))).toBeNull();
  });

  test("a symbol's own key is no token's, even where the symbol reads like one", () => {
    const names = new InstrumentNames(tradedByNumber);
    expect(names.key(name('2885'))).not.toBe(names.key(name('SBIN', '2885')));
    expect(names.key(name('|2885'))).not.toBe(names.key(name('SBIN', '2885')));
  });

  test('two tokens prove two instruments, under one symbol too; without them only other letters do', () => {
    const names = new InstrumentNames(tradedByNumber);
    expect(names.mayBeSame(name('SBIN', '2885'), name('SBIN', '2886'))).toBe(false);
    expect(names.mayBeSame(name('SBIN', '2885'), name('INFY', '02885'))).toBe(true);
    expect(names.mayBeSame(name('SBIN', '2885'), name('SBIN-EQ'))).toBe(true);
    expect(names.mayBeSame(name('SBIN', '2885'), name('INFY'))).toBe(false);
    names.learn(name('SBIN-BE', '7777'));
    expect(names.mayBeSame(name('SBIN', '2885'), name('SBIN-BE'))).toBe(false);
    // A symbol met with two tokens proves neither.
    expect(names.learn(name('SBIN-BE', '2885'))).toBeNull();
    expect(names.mayBeSame(name('SBIN', '2885'), name('SBIN-BE'))).toBe(true);
  });

  test('what cannot be read proves nothing', () => {
    const names = new InstrumentNames(tradedByNumber);
    const order = name('SBIN', '2885');
    expect(names.mayBeSame({ exchange: null, symbol: null, token: null }, order)).toBe(true);
    expect(names.mayBeSame({ exchange: 'BSE', symbol: null, token: null }, order)).toBe(false);
    expect(names.mayBeSame({ exchange: 'E 17', symbol: 'SBIN', token: null }, order)).toBe(true);
    expect(names.mayBeSame({ exchange: null, symbol: null, token: '2886' }, order)).toBe(false);
    expect(names.mayBeSame({ exchange: null, symbol: null, token: '2885' }, order)).toBe(true);
    expect(names.mayBeSame({ exchange: null, symbol: 'INFY', token: null }, order)).toBe(false);
    expect(names.mayBeSame({ exchange: 'NSE', symbol: '500112', token: null }, order)).toBe(true);
  });
});

describe('a broker that trades by symbol', () => {
  test('the symbol alone makes the key, whatever its letter case and token', () => {
    const names = new InstrumentNames(tradedBySymbol);
    expect(names.key(name('SBIN', '1'))).toBe(names.key(name(' sbin', '2')));
    expect(names.key(name('SBIN', '1'))).not.toBe(names.key(name('SBIN-BE', '1')));
    expect(names.learn(name('SBIN', '1'))).toBeNull();
  });

  test('tokens, which the caller may have made up, prove nothing; other spellings stay in doubt', () => {
    const names = new InstrumentNames(tradedBySymbol);
    expect(names.mayBeSame(name('NSE:SBIN-EQ', '1'), name('nse:sbin-be', '2'))).toBe(true);
    expect(names.mayBeSame(name('SBIN', '1'), name('SBIN', '2'))).toBe(true);
    expect(names.mayBeSame(name('SBIN', '1'), name('INFY', '1'))).toBe(false);
    expect(names.mayBeSame(name('SBIN'), name('SBIN', null, 'NFO'))).toBe(false);
  });
});

test('a holding is sold on either exchange: by its key on its own, by the name of the share on the other', () => {
  const byToken = new InstrumentNames(tradedByNumber);
  expect(byToken.holds(name('SBIN', '3045', 'ALL'), name('X', '03045'))).toBe(true);
  expect(byToken.holds(name('SBIN', '3045', 'ALL'), name('SBIN', '500112', 'BSE'))).toBe(true);
  expect(byToken.holds(name('SBIN-EQ', '3045'), name('SBIN', '500112', 'BSE'))).toBe(true);
  expect(byToken.holds(name('SBIN', '3045'), name('SBIN', '3046'))).toBe(false);
  expect(byToken.holds(name('SBIN', '3045'), name('SBIN', '3045', 'NFO'))).toBe(false);
  expect(byToken.holds(name('INFY', '1594', 'ALL'), name('SBIN', '3045'))).toBe(false);
  const bySymbol = new InstrumentNames(tradedBySymbol);
  expect(bySymbol.holds(name('NSE:SBIN-EQ'), name('BSE:SBIN-A', null, 'BSE'))).toBe(true);
  expect(bySymbol.holds(name('NSE:SBIN-EQ'), name('NSE:SBIN-BE'))).toBe(false);
  expect(bySymbol.holds(name('BAJAJ-AUTO'), name('BAJAJ', null, 'BSE'))).toBe(false);
});
