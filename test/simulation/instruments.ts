import type { PlaceOrderRequest } from '../../contract/orders.ts';
import { numberToken, plainText } from '../../server/brokers/instrument.ts';

/** What a day trades. */
export const instruments = [
  { symbol: 'SBIN', token: '3045' },
  { symbol: 'INFY', token: '1594' },
  { symbol: 'TCS', token: '11536' },
] as const;
export type Traded = (typeof instruments)[number];

export const EXCHANGE = 'NSE';
export const products = ['INTRADAY', 'CARRYFORWARD', 'DELIVERY'] as const;

/** The symbol a venue knows an instrument by, from what an order names: its token where the venue goes by that, else its symbol in any letters. */
export function instrumentAt(byToken: boolean, name: { symbol: string; token: string | null }): string | null {
  if (!byToken) return plainText(name.symbol);
  return instruments.find((one) => one.token === numberToken(name.token))?.symbol ?? null;
}

/** The names a caller may call an instrument by, the plain one first; every broker takes them for one. */
export function spellings({ symbol, token }: Traded): Pick<PlaceOrderRequest, 'symbol' | 'token'>[] {
  return [
    { symbol, token },
    { symbol, token: `0${token}` },
    { symbol: symbol.toLowerCase(), token },
    { symbol: ` ${symbol}`, token: `00${token}` },
  ];
}
