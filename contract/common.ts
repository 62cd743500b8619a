import { z } from 'zod';
import { unreadableRows } from './rows.ts';

/** Largest quantity accepted: what every broker's 32-bit field can hold. */
const MAX_QUANTITY = 2_147_483_647;
/** Largest price in rupees: what numeric(18,4) holds with room to multiply by a quantity. */
const MAX_PRICE = 1_000_000_000;

export const quantity = () => z.int().min(1).max(MAX_QUANTITY);
export const price = () => z.number().min(0).max(MAX_PRICE);
/** As `isPlain`, written so that JavaScript, Python, Go and Java read it alike; halves of characters cannot stand in JSON in UTF-8. */
const PLAIN = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';
/** PLAIN with something beside dots. */
export const NOT_DOTS_ALONE = '^[^\\x00-\\x1f\\x7f-\\x9f]*[^.\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$';
/** No control characters and no halves of characters: neither a broker nor a database takes them as they are. */
const plain = (whole: z.ZodString) =>
  whole.refine(isPlain, 'must hold neither control characters nor halves of characters').meta({ override: { pattern: PLAIN } });
export const text = (most = 200) => plain(z.string().min(1).max(most));
export const maybeText = (most = 200) => plain(z.string().max(most));

/** A text member of a query, at most 200 characters. */
export const queryText = () => text().optional();
/** A whole number of a query. It travels as text, and is read as a number by whoever uses it: nothing is coerced. */
export const queryInteger = (least: number, most: number) =>
  z
    .string()
    .refine(
      (word) => /^\d{1,16}$/.test(word) && Number(word) >= least && Number(word) <= most,
      `must be a whole number from ${least} to ${most}`,
    )
    .meta({ override: { type: 'integer', minimum: least, maximum: most } })
    .optional();

/** Whether a text is a day of the calendar, `YYYY-MM-DD`; year 0 is none to a database. */
export function isDay(word: string): boolean {
  const at = /^(?!0000)\d{4}-\d\d-\d\d$/.test(word) ? new Date(word) : null;
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(word);
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** An instant of a query with its zone: ISO 8601, as answers write it. */
export const queryInstant = (what: string) =>
  z
    .string()
    .refine(
      (word) => instant.test(word) && isDay(word.slice(0, 10)) && !Number.isNaN(Date.parse(word)),
      'must be a moment with its zone, such as 2026-11-20T03:45:00Z',
    )
    .meta({
      description: `${what}, ISO 8601 with its zone, read to the millisecond.`,
      examples: ['2026-11-20T03:45:00Z'],
      override: { format: 'date-time' },
    })
    .optional();

function isPlain(value: string): boolean {
  return value.isWellFormed() && !/\p{Cc}/u.test(value);
}

export const Failure = z
  .object({
    success: z.literal(false).meta({ description: 'Always false: the call was answered, the operation did not succeed.' }),
    message: z.string().meta({ description: 'What went wrong, in words for a person.', examples: ['Broker Not Connected'] }),
  })
  .meta({ id: 'Failure', description: 'The operation did not succeed. Answered with HTTP 200.' });

/** The body of every answer that is not HTTP 200. */
export const RequestError = z
  .object({
    success: z.literal(false),
    message: z.string().meta({ description: 'What was wrong with the request.', examples: ['quantity: must be an integer of at least 1'] }),
    issues: z
      .array(
        z
          .strictObject({
            path: z.string().meta({ description: 'The field, dotted.', examples: ['quantity'] }),
            message: z.string().meta({ description: 'What is wrong with it.', examples: ['must be an integer of at least 1'] }),
          })
          .meta({ id: 'Issue', description: 'One bad field of a request.' }),
      )
      .optional()
      .meta({ description: 'One entry for each bad field (422 only).' }),
  })
  .meta({ id: 'RequestError', description: 'The request itself could not be served.' });

/** `{success: true, message?, data}` around a broker's own payload, which passes through untouched. */
export function passThrough(id: string, description: string, example: unknown, normalized?: z.ZodType) {
  const ours = normalized
    ?.optional()
    .meta({ description: 'The same in words that are equal for all brokers; absent where it cannot be read.' });
  return z
    .looseObject({
      ...(ours && { normalized: ours }),
      success: z.literal(true).meta({ description: 'Always true: the broker answered.' }),
      message: z.string().optional().meta({ description: "The broker's own message, when it sent one." }),
      data: z.unknown().meta({ description: "The broker's own payload, untouched.", examples: [example] }),
    })
    .meta({ id, description });
}

/** A list of the broker's rows with the same rows in the gateway's words beside it. */
export function passThroughList<Row extends z.ZodType>(id: string, description: string, row: Row, example: unknown) {
  return z
    .looseObject({
      success: z.literal(true).meta({ description: 'Always true: the broker answered.' }),
      message: z.string().optional().meta({ description: "The broker's own message, when it sent one." }),
      data: z.array(z.unknown()).meta({ description: "The broker's own rows, untouched.", examples: [[example]] }),
      normalized: z.array(row).meta({
        description: 'The same rows, in the same order, in words that are equal for all brokers; those of unreadable are missing.',
      }),
      unreadable: unreadableRows,
    })
    .meta({ id, description });
}
