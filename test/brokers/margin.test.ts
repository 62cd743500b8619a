import { describe, expect, test } from 'vitest';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { BrokerOrder } from '../../server/brokers/broker.ts';
import * as aliceblue from './aliceblue.suite.ts';
import * as angelone from './angelone.suite.ts';
import { captured } from './captured.ts';
import type { Suite } from './conformance.ts';
import * as dhan from './dhan.suite.ts';
import * as fivepaisa from './fivepaisa.suite.ts';
import * as fyers from './fyers.suite.ts';
import * as groww from './groww.suite.ts';
import * as kotak from './kotak.suite.ts';
import * as shoonya from './shoonya.suite.ts';
import { stubBroker } from './stub-broker.ts';
import * as upstox from './upstox.suite.ts';
import * as zerodha from './zerodha.suite.ts';

interface Calculator {
  of: { suite: Suite; order: BrokerOrder };
  route: string;
  /** The member that tells what the order needs, and what the captured answer has there and of free funds; required is 1624.7 unless told. */
  figure: string;
  required?: string;
  available: string | null;
  /** What is asked of an order to buy ten at 812.35 INTRADAY, as documented. */
  asked?: unknown;
}

const calculators: Readonly<Record<BrokerId, Calculator>> = {
  aliceblue: {
    of: aliceblue,
    route: 'POST /open-api/od/v1/orders/checkMargin',
    figure: 'currentOrderMargin',
    available: null,
    asked: {
      ...{ exchange: 'NSE', instrumentId: '3045', transactionType: 'BUY', quantity: 10, product: 'INTRADAY', validity: 'DAY' },
      ...{ orderComplexity: 'REGULAR', orderType: 'LIMIT', price: 812.35, slTriggerPrice: '' },
    },
  },
  angelone: {
    of: angelone,
    route: `POST ${angelone.SECURE}/margin/v1/batch`,
    figure: 'totalMarginRequired',
    available: null,
    asked: {
      positions: [
        { exchange: 'NSE', qty: 10, price: 812.35, productType: 'INTRADAY', token: '3045', tradeType: 'BUY', orderType: 'LIMIT' },
      ],
    },
  },
  dhan: { of: dhan, route: 'POST /margincalculator', figure: 'totalMargin', available: '1491.75' },
  fivepaisa: {
    of: fivepaisa,
    route: 'POST /MultiOrderMargin',
    figure: 'TotalMarginRequired',
    available: '26738.39',
    asked: {
      head: { key: fivepaisa.credentials.USER_KEY },
      body: {
        ClientCode: '50000011',
        CoverPositions: 'N',
        Orders: [
          {
            ...{ Exch: 'N', ExchType: 'C', ScripCode: 3045, ScripData: '', PlaceModifyCancel: 'P' },
            ...{ OrderType: 'B', Price: 812.35, Qty: 10, IsIntraday: true },
          },
        ],
      },
    },
  },
  fyers: { of: fyers, route: 'POST /api/v3/multiorder/margin', figure: 'margin_total', available: '9916.1' },
  // With the charges of the order.
  groww: { of: groww, route: 'POST /v1/margins/detail/orders', figure: 'total_requirement', required: '1633.61', available: null },
  kotak: { of: kotak, route: 'POST /quick/user/check-margin', figure: 'ordMrgn', available: '1454.19' },
  shoonya: {
    of: shoonya,
    route: 'POST /GetOrderMargin',
    figure: 'ordermargin',
    available: '1500.3',
    asked: {
      ...{ uid: 'FT0001', actid: 'FT0001', exch: 'NSE', tsym: 'SBIN-EQ', qty: '10', prc: '812.35', prd: 'I', trantype: 'B', prctyp: 'LMT' },
    },
  },
  upstox: {
    of: upstox,
    route: 'POST /v2/charges/margin',
    figure: 'required_margin',
    available: null,
    asked: {
      instruments: [{ instrument_key: 'NSE_EQ|INE062A01020', quantity: 10, product: 'I', transaction_type: 'BUY', price: 812.35 }],
    },
  },
  zerodha: { of: zerodha, route: 'POST /margins/orders', figure: 'total', available: null },
};

const unreadable = ['', 'many', '-0.05', null, true, undefined];

describe.each(brokerIds)('the margin of an order at %s', (id) => {
  const { of, route, figure, required = '1624.7', available, asked } = calculators[id];
  const here = stubBroker(of.suite);
  const answer = captured(id)('margin');
  const last = async () => '812.35';

  async function told(body: unknown, change: Partial<BrokerOrder> = {}) {
    await here.broker.connect(null);
    here.stub.on(route, { body });
    return here.broker.orderMargin?.({ ...of.order, ordertype: 'LIMIT', price: '812.35', ...change }, last);
  }
  /** The captured answer with another value in a member, wherever it stands. */
  const having = (member: string, value: unknown) =>
    JSON.parse(JSON.stringify(answer.body, (name, was: unknown) => (name === member && typeof was !== 'object' ? value : was)));

  test('is the figure of the order alone, and of free funds what the answer tells', async () => {
    expect(await told(answer.body)).toMatchObject({ success: true, required: expect.stringMatching(`^${required}0*$`), available });
  });

  test.each(unreadable)('is a failure where the broker tells %j, never 0', async (value) => {
    expect(await told(having(figure, value))).toEqual({ success: false, message: expect.stringMatching(/told no margin of this order/) });
  });

  test('is asked for in the documented words', async () => {
    if (asked === undefined) return;
    await told(answer.body);
    const [{ body = '' } = {}] = here.stub.calls(route);
    expect(id === 'shoonya' ? shoonya.fieldsOf(body) : JSON.parse(body)).toEqual(asked);
  });
});

describe('the margin of an order', () => {
  const alice = stubBroker(aliceblue.suite);
  const finvasia = stubBroker(shoonya.suite);

  test('at Alice Blue: a part that does not say Ok is a failure in its words', async () => {
    await alice.broker.connect(null);
    const refused = [{ status: 'Not_Ok', message: 'RMS is not reachable', currentOrderMargin: '0' }];
    alice.stub.on(calculators.aliceblue.route, { body: aliceblue.ok(...refused) });
    const told = await alice.broker.orderMargin?.(aliceblue.order, async () => null);
    expect(told).toEqual({ success: false, message: expect.stringContaining('RMS is not reachable') });
  });

  test('at Shoonya: credits without what is used are not free funds', async () => {
    await finvasia.broker.connect(null);
    finvasia.stub.on(calculators.shoonya.route, { body: { stat: 'Ok', cash: '2500.30', ordermargin: '1624.70' } });
    const told = await finvasia.broker.orderMargin?.(shoonya.order, async () => null);
    expect(told).toMatchObject({ success: true, required: '1624.7', available: null });
  });
});
