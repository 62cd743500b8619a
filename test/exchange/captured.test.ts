import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import { captured, type Row, rowsIn } from '../brokers/captured.ts';
import { practice } from './practice.ts';

const lists = { positions: 'positions', orders: 'orders', trades: 'tradebook', holdings: 'holdings' } as const;
type List = keyof typeof lists;
const rows = z.array(z.record(z.string(), z.unknown()));

/** Members that are not as captured: those that a row of ours lacks, those it has beside, those whose values are of another kind. */
type Difference = 'lacks' | 'has' | 'kind';
type Exceptions = Partial<Record<Difference, Readonly<Record<string, string>>>>;

/** Where an emulator differs from the captured rows for a reason. */
const exceptions: Partial<Record<BrokerId, Partial<Record<List, Exceptions>>>> = {
  zerodha: { orders: { lacks: { terminal_id: 'on slices alone, and the emulator cuts none' } } },
  angelone: {
    orders: {
      kind: {
        'averageprice price squareoff stoploss strikeprice trailingstoploss triggerprice': 'texts or numbers, in turn: both were seen',
      },
    },
  },
  dhan: {
    orders: {
      has: { 'boProfitValue boStopLossValue exchangeOrderId legName': 'older documents and the official client have them' },
      kind: {
        'drvExpiryDate drvOptionType omsErrorCode omsErrorDescription': 'null as documented, a word where none applies as users saw it',
        algoId: 'the sample has the name of a type; null in others',
      },
    },
  },
  fivepaisa: { holdings: { lacks: { 'MTFPledge MTFQty': 'in the table beside the sample, not in the sample' } } },
  fyers: {
    orders: { has: { id_fyers: 'in the sample of the whole book, not in that of one order' } },
    holdings: { kind: { fyToken: 'a number in the sample, a text in the table beside it and in the official client' } },
  },
  kotak: {
    positions: { lacks: { qty: 'in the shortened example alone' } },
    holdings: { lacks: { instrumentName: 'in the shortened example alone' } },
  },
  shoonya: {
    positions: { lacks: { frzqty: 'the practice exchange has no freeze quantities' } },
    orders: {
      lacks: { rejreason: 'only a refused order has a reason here, the sample has a blank' },
      has: { 'exch_tm mult ordenttm prcftr rorgprc rorgqty trgprc': 'documented; the samples are shorter' },
    },
    holdings: { has: { 'benqty brkcolqty dpqty npoadqty prd s_prdt_ali unplgdqty': 'documented; the samples are shorter' } },
  },
};

const excepted = (of: Readonly<Record<string, string>> = {}) =>
  Object.keys(of)
    .flatMap((names) => names.split(' '))
    .toSorted();
const membersOf = (all: readonly Row[]) => [...new Set(all.flatMap(Object.keys))].toSorted();
/** What kind of value a member has in these rows. */
const kindsOf = (name: string, all: readonly Row[]) =>
  all.flatMap((row) => (name in row ? [row[name] === null ? 'null' : typeof row[name]] : []));

describe.each(brokerIds)('the emulator of %s', (id) => {
  const { order, place, call } = practice(id, { SBIN: '800', INFY: '1500' });
  beforeAll(async () => {
    for (const symbol of ['SBIN', 'INFY']) await place(order(symbol));
  });

  it.each(Object.keys(lists) as List[])('%s have the members of the captured rows, of their kinds', async (name) => {
    const real = rowsIn(captured(id)(name).body);
    const ours = rows.parse((await call('GET', `/broker/${lists[name]}`)).body.data);
    expect(ours.length).toBeGreaterThan(1);
    const [seen, made] = [membersOf(real), membersOf(ours)];
    const { lacks, has, kind } = exceptions[id]?.[name] ?? {};
    expect({
      lacks: seen.filter((each) => !ours.every((row) => each in row)),
      // The gateway itself writes order_id beside the members of an order.
      has: made.filter((each) => each !== 'order_id' && !seen.includes(each)),
      kind: made.filter((each) => seen.includes(each) && kindsOf(each, ours).some((one) => !kindsOf(each, real).includes(one))),
    }).toEqual({ lacks: excepted(lacks), has: excepted(has), kind: excepted(kind) });
  });
});
