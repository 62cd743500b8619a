import { z } from 'zod';
import { Failure } from './common.ts';
import { route } from './route.ts';
import { brokerIds } from './words.ts';

const nothing = z.strictObject({});

const SessionChanged = (id: string, description: string, message: string) =>
  z
    .looseObject({
      success: z.literal(true),
      message: z.string().meta({ description: 'What was done.', examples: [message] }),
      broker: z.string().meta({ description: 'The broker meant.', examples: ['zerodha'] }),
    })
    .meta({ id, description });

export const SupportedBrokers = z
  .object({
    success: z.literal(true),
    brokers: z.array(z.string()).meta({ description: 'Identifiers accepted by connect and test.', examples: [[...brokerIds]] }),
    count: z
      .int()
      .min(0)
      .max(100)
      .meta({ description: 'Length of brokers.', examples: [brokerIds.length] }),
  })
  .meta({ id: 'SupportedBrokers', description: 'The brokers this gateway can connect to.' });

export const Connected = SessionChanged('Connected', 'The broker is the active session now.', 'Connected to zerodha');

export const sessionRoutes = {
  connectBroker: route({
    method: 'POST',
    path: '/broker/connect',
    summary: 'Connect a broker',
    description: 'Signs in to the broker and makes it the one active session. When it fails the old session stays.',
    query: true,
    input: z.strictObject({
      broker: z
        .string()
        .min(1)
        .max(100)
        .meta({ description: 'One of the supported identifiers.', examples: ['zerodha'] }),
    }),
    output: z.union([Connected, Failure]),
  }),
  disconnectBroker: route({
    method: 'POST',
    path: '/broker/disconnect',
    summary: 'Disconnect the active broker',
    description: "Forgets the session and keeps the day's stored token, so that connecting again needs no new login.",
    input: nothing,
    output: z.union([SessionChanged('Disconnected', 'No broker is connected now.', 'Disconnected from zerodha'), Failure]),
  }),
  getSupportedBrokers: route({
    method: 'GET',
    path: '/broker/supported',
    summary: 'List the supported brokers',
    description: 'Needs no user.',
    open: true,
    input: nothing,
    output: SupportedBrokers,
  }),
};
