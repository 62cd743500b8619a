import { complete, firstDay, indices, type Row } from './instruments.ts';
import { overOn } from './months.ts';
import type { Listed } from './types.ts';

/** Rows that stand in every broker's master and that nobody trades: a reader must leave them out. Their tokens are nobody else's. */

const stateLoan = { exchange: 'NSE', symbol: '716GJ31', name: 'STATE DEVELOPMENT LOAN 2031', underlying: '716GJ31', kind: 'EQ' } as const;
const loan = { ...stateLoan, basePrice: '100.4', tick: '0.01', lotSize: 100 };
const nifty = { exchange: 'NFO', name: 'NIFTY', underlying: 'NIFTY', lotSize: 65 } as const;
const crude = { exchange: 'MCX', name: 'CRUDEOIL', underlying: 'CRUDEOIL', multiplier: 100, tick: '1' } as const;

/** Symbols the exchange tests its systems with. */
const dummies: Row[] = [
  { exchange: 'NSE', symbol: '011NSETEST', name: '011NSETEST', underlying: '011NSETEST', kind: 'EQ', exchangeToken: 11, basePrice: '100' },
  { exchange: 'NSE', symbol: '021NSETEST', name: '021NSETEST', underlying: '021NSETEST', kind: 'EQ', exchangeToken: 21, basePrice: '100' },
];

/** Contracts of a month that is over, which a file of yesterday still has. */
function expired(): Row[] {
  const [month, mcxMonth] = [overOn(firstDay, 'NFO'), overOn(firstDay, 'MCX')];
  const option = { ...nifty, expiry: month.expiry, strike: '26000', basePrice: '240' };
  return [
    {
      ...nifty,
      symbol: `NIFTY${month.text}FUT`,
      kind: 'FUT',
      exchangeToken: 46_901,
      expiry: month.expiry,
      basePrice: '26060',
      tick: '0.1',
    },
    { ...option, symbol: `NIFTY${month.text}26000CE`, kind: 'CE', exchangeToken: 46_902 },
    { ...option, symbol: `NIFTY${month.text}26000PE`, kind: 'PE', exchangeToken: 46_903 },
    { ...crude, symbol: `CRUDEOIL${mcxMonth.text}FUT`, kind: 'FUT', exchangeToken: 464_001, expiry: mcxMonth.expiry, basePrice: '5320' },
  ];
}

/** Two bonds under one name: brokers whose names leave the series out list it twice. */
const bonds: readonly (readonly [Row, string])[] = [
  [{ ...loan, exchangeToken: 22_901, isin: 'IN1520200149' }, 'SG'],
  [{ ...loan, exchangeToken: 22_902, isin: 'IN1520200149' }, 'BL'],
];

export const oddities: readonly Listed[] = [
  ...dummies.map((row) => odd(row, 'dummy', 'EQ')),
  ...expired().map((row) => odd(row, 'expired', null)),
  ...bonds.map(([row, series]) => odd(row, 'bond', series)),
];

function odd(row: Row, oddity: Listed['oddity'], series: string | null): Listed {
  const base = row.exchange === 'NFO' ? (indices.find(({ symbol }) => symbol === row.underlying) ?? null) : null;
  return { ...complete(row), series, weekly: false, base, oddity };
}
