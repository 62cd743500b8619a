import { Big, exact } from '../money.ts';

/** Members of a position row that make up its net quantity, those with a minus taken off: what was carried in, and what was traded today. */
interface Parts {
  carried: readonly string[];
  today: readonly string[];
}

/** As the ten brokers call them. A row tells its parts where it has all members of a line; where it has those of several, one that fits is enough. */
const known: readonly Parts[] = [
  { carried: ['overnight_quantity'], today: ['day_buy_quantity', '-day_sell_quantity'] },
  { carried: ['overnightQuantity'], today: ['dayBuyQuantity', '-daySellQuantity'] },
  { carried: ['cfbuyqty', '-cfsellqty'], today: ['buyqty', '-sellqty'] },
  { carried: ['cfbuyqty', '-cfsellqty'], today: ['daybuyqty', '-daysellqty'] },
  { carried: ['carryForwardBuyQty', '-carryForwardSellQty'], today: ['dayBuyQty', '-daySellQty'] },
  { carried: ['BodQty'], today: ['BuyQty', '-SellQty'] },
  { carried: ['cfBuyQty', '-cfSellQty'], today: ['dayBuyQty', '-daySellQty'] },
  { carried: ['cfBuyQty', '-cfSellQty'], today: ['flBuyQty', '-flSellQty'] },
  { carried: ['net_carry_forward_quantity'], today: ['credit_quantity', '-debit_quantity'] },
  { carried: ['carry_forward_credit_quantity', '-carry_forward_debit_quantity'], today: ['credit_quantity', '-debit_quantity'] },
];

/** What was carried in and what that makes with today's trades, in every way the row tells it. */
export function netParts(row: unknown): { carried: number; net: number }[] {
  return known.flatMap(({ carried, today }) => {
    const [before, since] = [sumOf(row, carried), sumOf(row, today)];
    return before && since ? [{ carried: before.toNumber(), net: before.plus(since).toNumber() }] : [];
  });
}

function sumOf(row: unknown, members: readonly string[]): Big | null {
  let sum = new Big(0);
  for (const member of members) {
    const name = member.replace(/^-/, '');
    const amount = exact(typeof row === 'object' && row !== null ? (row as Record<string, unknown>)[name] : undefined);
    if (!amount) return null;
    sum = member === name ? sum.plus(amount) : sum.minus(amount);
  }
  return sum;
}
