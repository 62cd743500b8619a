import { describe, expect, it } from 'vitest';
import { tradedByNumber, tradedBySymbol } from '../../server/brokers/instrument.ts';
import { misfit } from '../../server/instruments/fits.ts';
import { resolve } from '../../server/instruments/resolve.ts';
import { directoryOf, listed } from './directory.ts';

const sbin = listed('NSE:SBIN', { brokerSymbol: 'SBIN-EQ', token: '3045' });
const infy = listed('NSE:INFY', { brokerSymbol: 'INFY-EQ', token: '1594' });
const weekly = listed('NFO:NIFTY01DEC2626000CE', {
  brokerSymbol: 'NIFTY-Dec2026-26000-CE',
  token: '48001',
  kind: 'CE',
  expiry: '2026-12-01',
});
const monthly = listed('NFO:NIFTY29DEC2626000CE', {
  brokerSymbol: 'NIFTY-Dec2026-26000-CE',
  token: '48011',
  kind: 'CE',
  expiry: '2026-12-29',
  lotSize: 65,
  freezeQuantity: 1800,
});
const directory = directoryOf([sbin, infy, weekly, monthly]);
const ask = (exchange: string, symbol: string, token: string, tradedBy = tradedByNumber) =>
  resolve(directory, { exchange, symbol, token }, tradedBy);

describe('which instrument a caller means', () => {
  it('is told by the one name, with or without the token', async () => {
    for (const token of ['', '3045', '003045'])
      expect(await ask('NSE', 'SBIN', token)).toEqual({ symbol: 'SBIN-EQ', token: '3045', row: sbin });
  });

  it("is told by the broker's own symbol", async () => {
    expect(await ask('NSE', 'INFY-EQ', '')).toMatchObject({ symbol: 'INFY-EQ', token: '1594' });
  });

  it('is refused where symbol and token name two, with both named', async () => {
    for (const tradedBy of [tradedByNumber, tradedBySymbol]) {
      expect(await ask('NSE', 'SBIN', '1594', tradedBy)).toEqual({
        refused: 'token: 1594 is NSE:INFY (INFY-EQ), but the symbol names NSE:SBIN with token 3045; nothing was sent',
      });
    }
  });

  it('is refused where a symbol names several and no token tells, with their names', async () => {
    const { refused } = (await ask('NFO', 'NIFTY-Dec2026-26000-CE', '')) as { refused: string };
    expect(refused).toContain('names 2 instruments of NFO (NIFTY01DEC2626000CE, NIFTY29DEC2626000CE)');
    expect(await ask('NFO', 'NIFTY-Dec2026-26000-CE', '48011')).toMatchObject({ row: monthly });
  });

  it('stays as it came where the file has neither symbol nor token', async () => {
    expect(await ask('NSE', 'NEWCO', '9999')).toEqual({ symbol: 'NEWCO', token: '9999', row: null });
    expect(await ask('NSE', 'NEWCO', '3045')).toEqual({ symbol: 'NEWCO', token: '3045', row: null });
    expect(await ask('NSE', 'NEWCO', '')).toEqual({ symbol: 'NEWCO', token: '', row: null });
  });

  it('is what the broker goes by, where the token is one nobody knows', async () => {
    expect(await ask('NSE', 'SBIN', '779521', tradedBySymbol)).toMatchObject({ row: sbin });
    expect(await ask('NSE', 'SBIN', '779521', tradedByNumber)).toEqual({ symbol: 'SBIN', token: '779521', row: null });
  });
});

describe('what an order may not be', () => {
  const numbers = { quantity: 65, price: '240.05', trigger: null };
  const say = (given: Partial<typeof numbers>, today = '2026-11-23') => misfit(directory, monthly, { ...numbers, ...given }, today);

  it('is told with the right value', () => {
    expect(say({})).toBeNull();
    expect(say({ quantity: 70 })).toBe('quantity: 70 is no multiple of the lot of 65 of NFO:NIFTY29DEC2626000CE; 65 and 130 are right');
    expect(say({ quantity: 10 })).toContain('; 65 is right');
    expect(say({ quantity: 1820 })).toBe(
      'quantity: 1820 is above the freeze quantity of 1800 of NFO:NIFTY29DEC2626000CE; one order may have 1755',
    );
    expect(say({ price: '240.07' })).toBe('price: 240.07 is off the tick of 0.05 of NFO:NIFTY29DEC2626000CE; 240.05 and 240.1 are on it');
    expect(say({}, '2026-12-30')).toBe('symbol: NFO:NIFTY29DEC2626000CE expired on 2026-12-29');
  });

  it('is not told of a price of 0', () => {
    expect(say({ price: '0' })).toBeNull();
  });

  it("is told of lot, tick and freeze by today's file alone", () => {
    const old = directoryOf([monthly], false);
    expect(misfit(old, monthly, { quantity: 70, price: '240.07', trigger: null }, '2026-11-23')).toBeNull();
    expect(misfit(old, monthly, { quantity: 65, price: null, trigger: null }, '2026-12-30')).toContain('expired');
  });
});
