import { expect, expectTypeOf, it } from 'vitest';
import type * as words from '../../contract/words.ts';
import type { Exchange, OrderRow, OrderType, PlaceOrderRequest, ProductType, TransactionType, Variety } from '../../sdk/index.ts';

// Checked by the compiler (npm run check): a word added to the contract must be added to sdk/words.ts.
it('offers the words of the contract, and takes other text too', () => {
  expectTypeOf<Exchange>().toEqualTypeOf<words.Exchange>();
  expectTypeOf<TransactionType>().toEqualTypeOf<words.TransactionType>();
  expectTypeOf<OrderType>().toEqualTypeOf<words.OrderType>();
  expectTypeOf<ProductType>().toEqualTypeOf<words.ProductType>();
  expectTypeOf<Variety>().toEqualTypeOf<words.Variety>();
  const order: PlaceOrderRequest = {
    ...{ symbol: 'GOLD', token: '1', exchange: 'NCDEX', transaction_type: 'BUY', order_type: 'MARKET', product_type: 'MTF', quantity: 1 },
    ...{ variety: 'ICEBERG', strategy: 'breakout', ai_confidence: null },
  };
  // A type that has become plain string has no words to extract.
  expectTypeOf<Extract<PlaceOrderRequest['exchange'], 'NSE'>>().toEqualTypeOf<'NSE'>();
  expectTypeOf<Extract<PlaceOrderRequest['variety'], 'AMO'>>().toEqualTypeOf<'AMO'>();
  expectTypeOf<PlaceOrderRequest['quantity']>().toEqualTypeOf<number>();
  expectTypeOf<Extract<OrderRow['order_type'], 'SL-M'>>().toEqualTypeOf<'SL-M'>();
  expectTypeOf<OrderRow['variety']>().toEqualTypeOf<string | null>();
  expectTypeOf<OrderRow['status']>().toEqualTypeOf<words.OrderStatus>();
  // @ts-expect-error a member the contract does not have
  const wrong: PlaceOrderRequest = { ...order, trigger_pirce: 1, idempotencyKey: '' } satisfies PlaceOrderRequest;
  expect(wrong.exchange).toBe('NCDEX');
});
