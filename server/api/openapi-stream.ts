import type { OpenAPIObject } from 'trpc-to-openapi';
import { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { StreamMessage, streamRoute } from '../../contract/events.ts';

type Operation = NonNullable<NonNullable<NonNullable<OpenAPIObject['paths']>[string]>['get']>;

const resume = {
  name: 'Last-Event-ID',
  in: 'header' as const,
  description: 'The number of the last event that was read, to go on behind it; 0 for all there are. Without it the stream begins now.',
  schema: { type: 'integer' as const, minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  example: 1042,
};

/** The schemas of its messages, by their names. */
export function streamSchemas(): Record<string, ReturnType<typeof createSchema>['schema']> {
  const { schema, components } = createSchema(StreamMessage, { io: 'output' });
  return { ...components, ...(!('$ref' in schema) && { StreamMessage: schema }) };
}

/** The stream's operation, which no procedure serves. `refusals`: its other answers. */
export function streamOperation(refusals: NonNullable<Operation['responses']>): Operation {
  const { summary, description, input } = streamRoute;
  const { instruments } = input.shape;
  const { schema } = createSchema(instruments.unwrap(), { io: 'input' });
  const { description: about, examples } = z.object({ description: z.string(), examples: z.array(z.string()) }).parse(instruments.meta());
  const names = {
    name: 'instruments',
    in: 'query' as const,
    description: about,
    schema,
    example: examples[0],
  };
  return {
    operationId: 'followStream',
    summary,
    description,
    tags: ['Broker'],
    security: [{ bearerAuth: [] }],
    parameters: [names, resume],
    responses: {
      200: {
        description:
          'Messages as they come, until either side ends the stream: `id:` but on ticks and notices of the stream itself, `event:`, `data:`.',
        content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/StreamMessage' } } },
      },
      ...refusals,
    },
  };
}
