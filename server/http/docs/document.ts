import { openApiDocument } from '../../api/openapi.ts';

/** The parts of the OpenAPI document that the reference draws, as they stand in openapi.json. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
}

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
}

interface Answer {
  $ref?: string;
  description?: string;
  headers?: Record<string, { description?: string }>;
  content?: Record<string, { schema?: Schema; example?: unknown }>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema; example: unknown }> };
  responses: Record<string, Answer>;
  'x-codeSamples': { lang: string; label: string; source: string }[];
}

export interface Described extends Operation {
  method: 'GET' | 'POST';
  path: string;
}

export interface Api {
  groups: { name: string; description: string; operations: Described[] }[];
  /** A schema behind its reference, and the name it has; a schema without one as it is. */
  schemaOf(schema: Schema): { schema: Schema; name: string | null };
  answerOf(answer: Answer): Answer;
}

interface Document {
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<'get' | 'post', Operation>>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> };
}

/** The document by group, in the order of the contract. */
export function readApi(): Api {
  const { tags, paths, components } = JSON.parse(JSON.stringify(openApiDocument())) as Document;
  const operations = Object.entries(paths).flatMap(([path, { get, post }]): Described[] => [
    ...(get ? [{ ...get, method: 'GET' as const, path }] : []),
    ...(post ? [{ ...post, method: 'POST' as const, path }] : []),
  ]);
  const nameOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);
  return {
    groups: tags.map((tag) => ({ ...tag, operations: operations.filter((one) => one.tags.includes(tag.name)) })),
    schemaOf(schema) {
      if (!schema.$ref) return { schema, name: null };
      const name = nameOf(schema.$ref);
      return { schema: components.schemas[name] ?? {}, name };
    },
    answerOf: (answer) => (answer.$ref ? (components.responses[nameOf(answer.$ref)] ?? {}) : answer),
  };
}
