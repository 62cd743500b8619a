import { z } from 'zod';
import { Failure } from './common.ts';
import { PlaceOrderRequest } from './orders.ts';
import { route } from './route.ts';

export const OrderMarginRequest = PlaceOrderRequest.pick({
  symbol: true,
  token: true,
  exchange: true,
  transaction_type: true,
  order_type: true,
  product_type: true,
  quantity: true,
  price: true,
  trigger_price: true,
  variety: true,
}).meta({ id: 'OrderMarginRequest', description: 'An order that may be placed.' });
export type OrderMarginRequest = z.infer<typeof OrderMarginRequest>;

export const OrderMargin = z
  .object({
    success: z.literal(true),
    required: z.number().meta({ description: 'What the order needs, rupees.', examples: [1624.7] }),
    available: z
      .number()
      .nullable()
      .meta({ description: 'What is free for it, rupees; null where this answer of the broker does not say: GET /broker/funds may.' }),
    data: z.unknown().meta({ description: "The broker's own payload, untouched.", examples: [[{ type: 'equity', total: 1624.7 }]] }),
  })
  .meta({ id: 'OrderMargin', description: 'What the broker would hold for an order.' });
export type OrderMargin = z.infer<typeof OrderMargin>;

export const marginRoutes = {
  getOrderMargin: route({
    method: 'POST',
    path: '/broker/margin',
    summary: 'Get the margin an order needs',
    description:
      "The broker's own figure, from its calculator; where it tells none, success is false. " +
      'Nothing is placed or kept. Open positions count as far as the broker counts them. ' +
      'At aliceblue, fivepaisa and shoonya MARKET and SL-M are asked with the limit price that they go out with.',
    input: OrderMarginRequest,
    output: z.union([OrderMargin, Failure]),
  }),
};
