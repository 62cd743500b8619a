import type { OpenAPIObject } from 'trpc-to-openapi';
import { type SampleOf, samplesOf } from './openapi-samples.ts';
import { tagOf } from './openapi-tags.ts';

type Paths = NonNullable<OpenAPIObject['paths']>;
type OperationObject = NonNullable<Paths[string]['get']>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Schemas[string];

/** The operations in their groups, each with its samples. Pages that draw the document know them by the name x-codeSamples. */
export function grouped(paths: Paths, schemas: Schemas): Paths {
  return Object.fromEntries(
    Object.entries(paths).map(([path, { get, post, ...item }]) => [
      path,
      { ...item, ...(get && { get: told(get, 'GET', path, schemas) }), ...(post && { post: told(post, 'POST', path, schemas) }) },
    ]),
  );
}

function told(operation: OperationObject, method: SampleOf['method'], path: string, schemas: Schemas): OperationObject {
  const given = operation.requestBody && 'content' in operation.requestBody ? operation.requestBody.content['application/json'] : undefined;
  const members = membersOf(given?.schema, schemas);
  return {
    ...operation,
    tags: [tagOf(path)],
    'x-codeSamples': samplesOf({
      operationId: operation.operationId ?? '',
      method,
      target: targetOf(path, operation),
      body: given ? worthSaying(given.example as Readonly<Record<string, unknown>>, members) : null,
      keyed: 'idempotency_key' in members,
      streams: '200' in (operation.responses ?? {}) && JSON.stringify(operation.responses?.['200']).includes('text/event-stream'),
      open: operation.security?.length === 0,
    }),
  };
}

function membersOf(schema: Schema | undefined, schemas: Schemas): Readonly<Record<string, Schema>> {
  if (!schema) return {};
  if ('$ref' in schema) return membersOf(schemas[schema.$ref.replace('#/components/schemas/', '')], schemas);
  return schema.properties ?? {};
}

/** The example without what the gateway takes for said anyway. */
function worthSaying(example: Readonly<Record<string, unknown>>, members: Readonly<Record<string, Schema>>): Record<string, unknown> {
  const usual = (name: string) => {
    const member = members[name];
    return member && 'default' in member ? member.default : undefined;
  };
  return Object.fromEntries(
    Object.entries(example).filter(([name, value]) => value !== usual(name) && value !== undefined && name !== 'idempotency_key'),
  );
}

/** The path with the examples of its parameters, and of the query what it cannot do without, or is about. */
function targetOf(path: string, { parameters = [] }: OperationObject): string {
  let target = path;
  const query: string[] = [];
  for (const parameter of parameters) {
    if (!('name' in parameter)) continue;
    const value = encodeURIComponent(String(parameter.example ?? 'zerodha'))
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',');
    if (parameter.in === 'path') target = target.replace(`{${parameter.name}}`, value);
    if (parameter.in === 'query' && (parameter.required || /^instruments?$/.test(parameter.name))) query.push(`${parameter.name}=${value}`);
  }
  return query.length > 0 ? `${target}?${query.join('&')}` : target;
}
