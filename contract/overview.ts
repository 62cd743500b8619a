import { z } from 'zod';
import { Failure } from './common.ts';
import { instant } from './records.ts';
import { route } from './route.ts';

export const feedWords = ['LIVE', 'CONNECTING', 'NONE'] as const;
export type FeedWord = (typeof feedWords)[number];
const feedWord = (what: string) =>
  z.enum(feedWords).meta({
    description: `${what} LIVE: they flow. CONNECTING: the socket is down and opened again. NONE: no session, or the broker has no such feed for it.`,
    examples: ['LIVE'],
  });
const word = (what: string, example: string | null) =>
  z
    .string()
    .nullable()
    .meta({ description: what, examples: [example] });

export const Overview = z
  .object({
    success: z.literal(true),
    mode: z.enum(['practice', 'live']).meta({ description: 'practice: the practice exchange. live: real money.', examples: ['practice'] }),
    version: z.string().meta({ description: 'Version of the gateway.', examples: ['0.2.0'] }),
    at: z.string().meta({ description: 'When this was answered, UTC.', examples: ['2026-11-20T04:12:33.120Z'] }),
    broker: word('The connected broker, else the last one that was; null when none ever was.', 'zerodha'),
    account: word('Its account id.', 'AB1234'),
    session: z.object({
      active: z.boolean().meta({ description: 'Whether a session is up.', examples: [true] }),
      since: instant('Since when; null without a session'),
      ends_at: instant('When the login ends by itself; null without a session'),
      message: word('Why there is no session and what to do; null while there is one.', null),
      next_try_at: instant('When the gateway signs in by itself again; null while there is a session, and where a person is needed'),
    }),
    feed: z.object({
      prices: feedWord('Live prices.'),
      orders: feedWord('Order updates.'),
      last_tick_at: instant('When the last price came; null when none did'),
      last_tick_age_ms: z
        .int()
        .nullable()
        .meta({ description: 'How long ago that was, milliseconds.', examples: [180] }),
    }),
    clock: z.object({
      offset_ms: z
        .int()
        .nullable()
        .meta({ description: "Our clock less the broker's, milliseconds, by its Date heads; null when not known.", examples: [12] }),
      checked_at: instant('When the broker last told its time'),
    }),
    database: z.object({
      kind: z.enum(['embedded', 'external']).meta({ description: 'embedded: our own. external: by DATABASE_URL.', examples: ['embedded'] }),
      ok: z.boolean().meta({ description: 'Whether it answered within a quarter of a second.', examples: [true] }),
      latency_ms: z
        .number()
        .nullable()
        .meta({ description: 'How long its answer took, milliseconds; null when none came.', examples: [0.4] }),
    }),
    kill_switch: z.object({
      on: z.boolean().meta({ description: 'true: nothing leaves that can grow a position.', examples: [false] }),
      since: instant('When it was turned; null when it never was'),
      by: word('Who turned it.', null),
    }),
    market: z
      .array(
        z.object({
          exchange: z.string().meta({ description: 'NSE, BSE, NFO, BFO, MCX or CDS.', examples: ['NSE'] }),
          open: z.boolean().meta({ description: 'Whether it trades now.', examples: [true] }),
          opens_at: instant('When it opens next; null while open'),
          closes_at: instant('When it closes; null while closed, and where it never does'),
        }),
      )
      .meta({ description: 'When the exchanges trade. The practice exchange never closes.' }),
    calendar: z
      .object({
        last_day: word('The last day whose holidays are known; null in practice mode, which has none.', '2026-12-31'),
        ends_soon: z.boolean().meta({ description: 'Whether that is within 30 days: a newer calendar is needed.', examples: [false] }),
      })
      .meta({ description: 'The trading calendar.' }),
    unresolved: z.int().meta({ description: 'Orders whose fate is not known.', examples: [0] }),
  })
  .meta({ id: 'Overview', description: 'How the gateway stands.' });
export type Overview = z.infer<typeof Overview>;

export const overviewRoutes = {
  getOverview: route({
    method: 'GET',
    path: '/broker/overview',
    summary: 'See how the gateway stands',
    description: 'Mode, session, feed, clock, database, kill switch and market hours. Never asks the broker, and answers within 300 ms.',
    input: z.strictObject({}),
    output: z.union([Overview, Failure]),
  }),
};
