import { z } from 'zod';
import { Failure, queryInstant, queryInteger, queryText } from './common.ts';
import { namesUpTo, Quote } from './quotes.ts';
import { route } from './route.ts';

/** What an event is about: the name of its kind on the stream. */
export const eventTopics = ['order', 'position', 'session', 'notice'] as const;
export type EventTopic = (typeof eventTopics)[number];

export const GatewayEvent = z
  .object({
    id: z.int().meta({
      description:
        'Its number. Numbers grow in the order in which events are told, with gaps. 0: a notice of the stream itself, without a number.',
      examples: [1042],
    }),
    topic: z.enum(eventTopics).meta({ description: 'The name of the event on the stream.', examples: ['order'] }),
    kind: z.string().meta({ description: 'What happened, in the words of the audit trail.', examples: ['order.done'] }),
    at: z.string().meta({ description: 'When, UTC.', examples: ['2026-11-20T04:12:33.120Z'] }),
    broker: z
      .string()
      .nullable()
      .meta({ description: 'The broker it is about.', examples: ['zerodha'] }),
    symbol: z
      .string()
      .nullable()
      .meta({ description: 'The symbol, as the record of it has it.', examples: ['SBIN'] }),
    order_id: z
      .string()
      .nullable()
      .meta({ description: 'Broker order id.', examples: ['1953341975595868160'] }),
    detail: z
      .unknown()
      .meta({ description: 'What else the audit trail says of it.', examples: [{ fill_status: 'FILLED', filled_quantity: 10 }] }),
  })
  .meta({ id: 'GatewayEvent', description: 'One line of the audit trail.' });
export type GatewayEvent = z.infer<typeof GatewayEvent>;

export const EventList = z
  .object({
    success: z.literal(true),
    events: z.array(GatewayEvent).meta({ description: 'Oldest first; newest first with `before` or a filter and no `after`.' }),
    next: z
      .int()
      .meta({ description: 'What to give as `after` to go on: the number of the last event, or `after` again.', examples: [1042] }),
    before: z
      .int()
      .nullable()
      .optional()
      .meta({
        description: 'Newest first: what to give as `before` for older ones, also where this page is short; null when there are none.',
        examples: [942],
      }),
  })
  .meta({ id: 'EventList', description: 'A page of events.' });
export type EventList = z.infer<typeof EventList>;

/** What one message of the stream is, by its `event:` line. */
export const StreamMessage = z
  .union([GatewayEvent, Quote])
  .meta({ id: 'StreamMessage', description: 'Of order, position, session and notice: a GatewayEvent. Of tick: a Quote.' });

export const eventRoutes = {
  listEvents: route({
    method: 'GET',
    path: '/broker/events',
    summary: 'List events',
    description:
      'The order, position, session and notice events of the stream, paged: none is left out, none comes twice. With `before`, or a filter and no `after`, ' +
      'the newest come first. A page looks through 100,000 numbers at most: it may be short, or empty, and still not be the last.',
    query: true,
    input: z.strictObject({
      after: queryInteger(0, Number.MAX_SAFE_INTEGER).meta({
        description: 'Only events after this number; 0 unless given.',
        examples: [0],
      }),
      before: queryInteger(1, Number.MAX_SAFE_INTEGER).meta({
        description: 'Only events before this number, the newest first.',
        examples: [1042],
      }),
      kind: queryText().meta({ description: 'Only kinds that begin so: order., session.lost.', examples: ['order.'] }),
      symbol: queryText().meta({ description: 'Only of this symbol, as the record has it.', examples: ['SBIN'] }),
      order_id: queryText().meta({ description: 'Only of this order.', examples: ['1953341975595868160'] }),
      from: queryInstant('Only from this moment on'),
      to: queryInstant('Only before this moment'),
      limit: queryInteger(1, 1000).meta({ description: 'Events of a page, 100 unless given.', examples: [100] }),
    }),
    output: z.union([EventList, Failure]),
  }),
};

/** The stream: Server-Sent Events, served beside the procedures. */
export const streamRoute = route({
  method: 'GET',
  path: '/broker/stream',
  summary: 'Follow orders, positions, the session and prices',
  description:
    'Server-Sent Events. `order`, `position`, `session` and `notice` are numbered by `id:` and none is lost: whoever comes back with Last-Event-ID goes on ' +
    'behind it; without it the stream begins now. `tick` carries the newest quote of each of `instruments`, at most four a second, and no number. ' +
    'A comment line comes every 15 s. A reader that falls 10,000 events behind is told so by a `notice` without a number, and cut.',
  query: true,
  input: z.strictObject({
    instruments: namesUpTo(200)
      .optional()
      .meta({
        description: 'Whose ticks to send, separated by commas, at most 200; none unless given.',
        examples: ['NSE:SBIN'],
      }),
  }),
  output: StreamMessage,
});
