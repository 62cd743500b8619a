import type { OpenAPIObject } from 'trpc-to-openapi';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Schemas[string];

export const schemaRef = (id: string) => ({ $ref: `#/components/schemas/${id}` });

/** A union whose options exclude each other says so. */
export function exclusive(schema: Schema): Schema {
  if (!('anyOf' in schema) || !schema.anyOf) return schema;
  const { anyOf, ...rest } = schema;
  return { oneOf: anyOf, ...rest };
}

/** What a schema's own examples add up to; undefined where it gives none. Tools would invent members otherwise. */
export function exampleOf(schema: Schema | undefined, schemas: Schemas): unknown {
  if (!schema) return undefined;
  if ('$ref' in schema) return exampleOf(schemas[schema.$ref.replace('#/components/schemas/', '')], schemas);
  const given = [schema.const, ...(schema.examples ?? []), ...(schema.enum ?? [])].filter((value) => value !== undefined);
  if (given.length > 0) return given[0];
  const [option] = schema.oneOf ?? schema.anyOf ?? [];
  if (option) return exampleOf(option, schemas);
  if (schema.items) return [exampleOf(schema.items, schemas)];
  if (!schema.properties) return undefined;
  return Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, exampleOf(member, schemas)]));
}

/** The largest number of 32 bits, what a generator takes an integer for that says nothing else. */
const LARGEST_INT32 = 2_147_483_647;

/**
 * A part of the document as generators of other languages read it rightly, the same to whoever checks values by it.
 * A constant true or false stands beside its type and not in one with it: openapi-python-client (0.29) compares constants, but not of what it has taken for a
 * boolean, and would take a refused order for an accepted one. Numbers are doubles: oapi-codegen (2.8) makes them floats of 32 bits, in which 812.35 is no price.
 */
export function readable<Part>(part: Part): Part;
export function readable(part: unknown): unknown {
  if (Array.isArray(part)) return part.map((member) => readable(member));
  if (typeof part !== 'object' || part === null) return part;
  const members: Record<string, unknown> = Object.fromEntries(
    Object.entries(part).map(([name, member]) => [name, name === 'example' || name === 'examples' ? member : readable(member)]),
  );
  const { type, maximum, ...rest } = members;
  if (type === 'boolean' && typeof members.const === 'boolean') return { ...rest, allOf: [{ type }] };
  if (type === 'number' || (Array.isArray(type) && type.includes('number'))) return { ...members, format: 'double' };
  if (type === 'integer' && Number(maximum) > LARGEST_INT32) return { ...members, format: 'int64' };
  return members;
}
