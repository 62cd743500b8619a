import { z } from 'zod';
import { Failure } from './common.ts';
import { route } from './route.ts';

export const KillSwitchState = z
  .object({
    success: z.literal(true),
    on: z.boolean().meta({ description: 'true: nothing leaves that can grow a position.', examples: [true] }),
    since: z
      .string()
      .nullable()
      .meta({
        description: 'When it was turned to where it stands, UTC; null when it was never turned.',
        examples: ['2026-11-20T04:12:33.000Z'],
      }),
    by: z
      .string()
      .nullable()
      .meta({
        description: "Who turned it: a user's name, signal, or setting; null when that is not known or it was never turned.",
        examples: ['first'],
      }),
  })
  .meta({ id: 'KillSwitchState', description: 'Where the kill switch stands.' });
export type KillSwitchState = z.infer<typeof KillSwitchState>;

export const SetKillSwitchRequest = z
  .strictObject({ on: z.boolean().meta({ description: 'true turns it on, false releases it.', examples: [true] }) })
  .meta({ id: 'SetKillSwitchRequest', description: 'Where the kill switch is to stand.' });

export const killSwitchRoutes = {
  getKillSwitch: route({
    method: 'GET',
    path: '/broker/kill-switch',
    summary: 'Read the kill switch',
    description: 'Whether it is on, since when, and who turned it.',
    input: z.strictObject({}),
    output: KillSwitchState,
  }),
  setKillSwitch: route({
    method: 'POST',
    path: '/broker/kill-switch',
    summary: 'Turn the kill switch on or off',
    description:
      'While it is on, only cancels, orders that only reduce their position and changes that make no entry larger or more aggressive leave. ' +
      'It holds as soon as the request is read, and is remembered over restarts. success false: it holds, but is not stored yet; ' +
      'a restart before it is would forget it. Storing is tried again by itself.',
    input: SetKillSwitchRequest,
    output: z.union([KillSwitchState, Failure]),
  }),
};
