import type { DayProfit as Told } from '../../contract/profit.ts';
import { type Day, isoOf } from './day.ts';
import { type Earning, sumOf } from './day-profit.ts';
import type { EquityPoint } from './equity.ts';
import { rupees } from './positions.ts';

type Figures = Pick<Told, 'realised' | 'unrealised' | 'total'>;

/** What a day earned, in the contract's words; without the one names of instruments. What a past day's open positions came to, its last point alone tells. */
export function profitOfDay(day: Day, earnings: readonly Earning[], points: readonly EquityPoint[]) {
  const sum = sumOf(day, earnings);
  const last = points.at(-1);
  const whole =
    day.isToday || sum.total !== null || !last ? sum : { ...sum, ...last, realised: sum.realised, unknown: last.total ? [] : sum.unknown };
  const byInstrument = Map.groupBy(earnings, ({ row }) => `${row.exchange}:${row.symbol}`);
  const byStrategy = Map.groupBy(earnings, ({ row }) => row.strategy);
  return {
    ...figuresOf(whole),
    known: rupees(sum.known),
    unknown: whole.unknown,
    by_instrument: [...byInstrument.values()]
      .flatMap((some) => some.slice(0, 1).map(({ row }) => ({ exchange: row.exchange, symbol: row.symbol, token: row.token, some })))
      .sort((a, b) => (`${a.exchange}:${a.symbol}` < `${b.exchange}:${b.symbol}` ? -1 : 1))
      .map(({ some, ...name }) => ({ ...name, ...figuresOf(sumOf(day, some)) })),
    by_strategy: [...byStrategy].map(([strategy, some]) => ({ strategy, ...figuresOf(sumOf(day, some)) })),
    equity: [...points.map(({ at, ...figures }) => ({ at: isoOf(at), ...figuresOf(figures) }))],
  };
}

function figuresOf({ realised, unrealised, total }: Pick<EquityPoint, 'realised' | 'unrealised' | 'total'>): Figures {
  return { realised: rupees(realised), unrealised: rupees(unrealised), total: rupees(total) };
}
