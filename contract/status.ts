import { z } from 'zod';

export const GatewayStatus = z
  .object({
    name: z.string().meta({ description: 'Always Broker Gateway.', examples: ['Broker Gateway'] }),
    mode: z
      .enum(['practice', 'live'])
      .meta({ description: 'practice: the simulator. live: real brokers, real money.', examples: ['practice'] }),
    broker: z
      .string()
      .nullable()
      .meta({ description: 'The active broker; null when none is connected.', examples: ['zerodha'] }),
    status: z.enum(['starting', 'ready', 'stopping']).meta({ description: 'What the gateway is doing.', examples: ['ready'] }),
    position_guard: z.enum(['on', 'off']).meta({ description: 'off: an open position blocks no further entry.', examples: ['on'] }),
  })
  .meta({ id: 'GatewayStatus', description: 'What the gateway is, and whether it serves.' });
export type GatewayStatus = z.infer<typeof GatewayStatus>;
