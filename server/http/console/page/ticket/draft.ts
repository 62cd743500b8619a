import type { Instrument } from '../../../../../contract/instruments.ts';
import type { OrderType, ProductType, TransactionType } from '../../../../../contract/words.ts';
import { price, quantity } from '../state/format.ts';

/** An order that is being written: numbers as they were typed. */
export interface Draft {
  instrument: Instrument | null;
  side: TransactionType;
  product: ProductType;
  type: OrderType;
  quantity: string;
  price: string;
  trigger: string;
  reduceOnly: boolean;
}

export const sides = { BUY: 'Buy', SELL: 'Sell' } as const satisfies Record<TransactionType, string>;
export const products = { INTRADAY: 'Intraday', DELIVERY: 'Delivery', CARRYFORWARD: 'Carry forward' } as const satisfies Record<
  ProductType,
  string
>;
export const orderTypes = { MARKET: 'Market', LIMIT: 'Limit', SL: 'Stop limit', 'SL-M': 'Stop market' } as const satisfies Record<
  OrderType,
  string
>;

export function emptyDraft(): Draft {
  return { instrument: null, side: 'BUY', product: 'INTRADAY', type: 'MARKET', quantity: '', price: '', trigger: '', reduceOnly: false };
}

type NumberField = 'quantity' | 'price' | 'trigger';

/** The numbers an order of this type has, each with what the instrument says of it. */
export function fieldsOf({ type, instrument }: Draft): { id: NumberField; label: string; hint: string }[] {
  const tick = instrument?.tick_size ? `Steps of ${price(instrument.tick_size)}` : 'Rupees';
  const lot = instrument
    ? `Lot ${quantity(instrument.lot_size)}${instrument.freeze_quantity ? `, at most ${quantity(instrument.freeze_quantity)}` : ''}`
    : 'Shares or lots';
  return [
    { id: 'quantity' as const, label: 'Quantity', hint: lot },
    ...(type === 'LIMIT' || type === 'SL' ? [{ id: 'price' as const, label: 'Limit price', hint: tick }] : []),
    ...(type === 'SL' || type === 'SL-M' ? [{ id: 'trigger' as const, label: 'Trigger price', hint: tick }] : []),
  ];
}

/** What is wrong with each field. The gateway judges in the end; this only saves the way there. */
export function faultsOf(draft: Draft): Partial<Record<'instrument' | NumberField, string>> {
  const { instrument } = draft;
  const faults: Partial<Record<'instrument' | NumberField, string>> = {};
  if (!instrument) faults.instrument = 'Choose one of the list.';
  for (const { id } of fieldsOf(draft)) {
    const fault = id === 'quantity' ? quantityFault(draft.quantity, instrument) : priceFault(draft[id], instrument);
    if (fault !== null) faults[id] = fault;
  }
  return faults;
}

function quantityFault(given: string, instrument: Instrument | null): string | null {
  if (!/^\d{1,10}$/.test(given) || Number(given) < 1) return 'A whole number of at least 1.';
  const lot = instrument?.lot_size ?? 1;
  if (Number(given) % lot !== 0) return `A multiple of the lot of ${quantity(lot)}.`;
  const most = instrument?.freeze_quantity;
  return most && Number(given) > most ? `At most ${quantity(most)} in one order.` : null;
}

function priceFault(given: string, instrument: Instrument | null): string | null {
  if (!/^\d{1,9}(\.\d{1,4})?$/.test(given) || Number(given) === 0) return 'A price above 0.';
  const tick = instrument?.tick_size;
  // In ten-thousandths, which are whole numbers.
  return tick && Math.round(Number(given) * 10_000) % Math.round(tick * 10_000) !== 0 ? `A multiple of ${price(tick)}.` : null;
}

/** The order as the gateway is asked for it; null while a field is wrong. */
export function orderOf(draft: Draft): Record<string, unknown> | null {
  const { instrument } = draft;
  if (!instrument || Object.keys(faultsOf(draft)).length > 0) return null;
  const has = new Set(fieldsOf(draft).map(({ id }) => id));
  return {
    symbol: instrument.broker_symbol,
    token: instrument.token,
    exchange: instrument.exchange,
    transaction_type: draft.side,
    order_type: draft.type,
    product_type: draft.product,
    quantity: Number(draft.quantity),
    price: has.has('price') ? Number(draft.price) : 0,
    trigger_price: has.has('trigger') ? Number(draft.trigger) : 0,
    variety: has.has('trigger') ? 'STOPLOSS' : 'NORMAL',
    reduce_only: draft.reduceOnly,
    strategy: 'console',
  };
}
