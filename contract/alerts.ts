import { z } from 'zod';
import { Failure } from './common.ts';
import { route } from './route.ts';

/** What is told, in the order of docs/alerts.md. */
export const alertKinds = [
  'login_needed',
  'session_lost',
  'feed_silent',
  'order_unknown',
  'order_rejected',
  'reconciliation',
  'kill_switch',
  'database',
  'daily_loss',
  'calendar_ends',
  'all_well',
  'dropped',
  'test',
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** `began`: from now on. `reminder`: still so. `over`: not any more. `happened`: it has no length. */
export const alertStates = ['began', 'reminder', 'over', 'happened'] as const;
export type AlertState = (typeof alertStates)[number];

export const alertChannels = ['webhook', 'telegram'] as const;
export type AlertChannel = (typeof alertChannels)[number];

const instant = () => z.string().nullable();

const ChannelState = z
  .object({
    channel: z.enum(alertChannels).meta({ description: 'Which way alerts leave.', examples: ['webhook'] }),
    host: z
      .string()
      .meta({ description: 'The host they go to; never the address, which may hold a secret.', examples: ['alerts.example.com'] }),
    waiting: z.int().meta({ description: 'Alerts that are written and not delivered yet.', examples: [0] }),
    dropped: z.int().meta({ description: 'Alerts dropped since the start because too many waited, oldest first.', examples: [0] }),
    last_sent_at: instant().meta({
      description: 'When one was delivered last since the start, UTC.',
      examples: ['2026-11-20T04:12:33.000Z'],
    }),
    last_failed_at: instant().meta({ description: 'When a delivery failed last since the start, UTC.', examples: [null] }),
    last_failure: z
      .string()
      .nullable()
      .meta({ description: 'Why, without addresses and secrets.', examples: [null] }),
  })
  .meta({ id: 'AlertChannelState', description: 'One way alerts leave, and how it does.' });
export type ChannelState = z.infer<typeof ChannelState>;

const StandingAlert = z
  .object({
    kind: z.enum(alertKinds).meta({ description: 'What it is about.', examples: ['feed_silent'] }),
    since: z.string().meta({ description: 'When it began, UTC.', examples: ['2026-11-20T04:12:33.000Z'] }),
    message: z.string().meta({ description: 'What was told.', examples: ['zerodha: no price for 60 s'] }),
    what_to_do: z.string().meta({ description: 'One sentence.', examples: ['Read prices elsewhere until this is over.'] }),
  })
  .meta({ id: 'StandingAlert', description: 'Something that was told and is not over.' });

export const AlertOverview = z
  .object({
    success: z.literal(true),
    on: z.boolean().meta({ description: 'Whether any channel is set up; without one nothing is watched.', examples: [true] }),
    channels: z.array(ChannelState).meta({ description: 'The channels that are set up.' }),
    standing: z.array(StandingAlert).meta({ description: 'What was told and is not over, oldest first.' }),
    daily_loss: z
      .string()
      .nullable()
      .meta({ description: "Rupees of the day's loss from which on it is told; null: never.", examples: ['25000'] }),
    all_well_at: z.string().meta({ description: 'When the line of the day is sent, IST.', examples: ['15:45'] }),
  })
  .meta({ id: 'AlertOverview', description: 'Where alerts go, what waits, and what stands.' });
export type AlertOverview = z.infer<typeof AlertOverview>;

export const AlertTest = z
  .object({
    success: z.literal(true),
    channels: z
      .array(
        z
          .object({
            channel: z.enum(alertChannels).meta({ description: 'Which way it left.', examples: ['webhook'] }),
            delivered: z.boolean().meta({ description: 'Whether it was taken.', examples: [true] }),
            message: z
              .string()
              .nullable()
              .meta({ description: 'Why not.', examples: [null] }),
            took_ms: z.int().meta({ description: 'How long that took.', examples: [120] }),
          })
          .meta({ id: 'AlertTestResult', description: 'What became of a test alert on one channel.' }),
      )
      .meta({ description: 'One for each channel that is set up.' }),
  })
  .meta({ id: 'AlertTest', description: 'What became of a test alert, channel by channel.' });
export type AlertTest = z.infer<typeof AlertTest>;

export const alertRoutes = {
  getAlerts: route({
    method: 'GET',
    path: '/broker/alerts',
    summary: 'Read where alerts go',
    description: 'The channels that are set up, what waits on them, and what was told and is not over. Never an address or a secret.',
    input: z.strictObject({}),
    output: z.union([AlertOverview, Failure]),
  }),
  testAlerts: route({
    method: 'POST',
    path: '/broker/alerts/test',
    summary: 'Send a test alert',
    description:
      'Sends one alert of kind `test` on every channel at once, waits at most 10 s for each, and says what became of it. It is not repeated.',
    input: z.strictObject({}),
    output: z.union([AlertTest, Failure]),
  }),
};
