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
    status: z.enum(['starting', 'ready', 'standby', 'stopping']).meta({
      description:
        'What the gateway is doing. standby: it waits while another one leads, and answers everything but this and the documents with 503.',
      examples: ['ready'],
    }),
    leader: z
      .string()
      .optional()
      .meta({ description: 'On a standby: who leads, as far as it is known.', examples: ['gateway-a:5000'] }),
    position_guard: z.enum(['on', 'off']).meta({ description: 'off: an open position blocks no further entry.', examples: ['on'] }),
  })
  .meta({ id: 'GatewayStatus', description: 'What the gateway is, and whether it serves.' });
export type GatewayStatus = z.infer<typeof GatewayStatus>;
