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
  expectTypeOf(order.exchange).toEqualTypeOf<Exchange | (string & {})>();
  expectTypeOf<PlaceOrderRequest['variety']>().toEqualTypeOf<Variety | (string & {}) | undefined>();
  expectTypeOf<PlaceOrderRequest['quantity']>().toEqualTypeOf<number>();
  expectTypeOf<OrderRow['order_type']>().toEqualTypeOf<OrderType | (string & {})>();
  expectTypeOf<OrderRow['variety']>().toEqualTypeOf<string | null>();
  expectTypeOf<OrderRow['status']>().toEqualTypeOf<words.OrderStatus>();
  // @ts-expect-error a member the contract does not have
  const wrong: PlaceOrderRequest = { ...order, trigger_pirce: 1, idempotencyKey: '' } satisfies PlaceOrderRequest;
  expect(wrong.exchange).toBe('NCDEX');
});
