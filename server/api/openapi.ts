import { generateOpenApiDocument, type OpenAPIObject } from 'trpc-to-openapi';
import { streamRoute } from '../../contract/events.ts';
import { contract, RequestError } from '../../contract/index.ts';
import { type Route, takesKeys } from '../../contract/route.ts';
import { GatewayStatus } from '../../contract/status.ts';
import { grouped } from './openapi-groups.ts';
import { exampleOf, exclusive, readable, schemaRef } from './openapi-schemas.ts';
import { streamOperation, streamSchemas } from './openapi-stream.ts';
import { tags } from './openapi-tags.ts';
import { appRouter } from './router.ts';

type PathItem = NonNullable<OpenAPIObject['paths']>[string];
type OperationObject = NonNullable<PathItem['get']>;
type Responses = NonNullable<OperationObject['responses']>;
type Response = Responses[string];
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Schemas[string];
type Parameter = NonNullable<OperationObject['parameters']>[number];

const textHeader = (description: string) => ({ description, schema: { type: 'string' as const } });

/** Every answer that is not 200, by status: its name among the components, what it means, and how it may read. */
const refusals = {
  400: ['Malformed', 'The body is not valid JSON, or the path is wrongly encoded.', 'The body is not valid JSON'],
  401: ['NotAuthenticated', 'No bearer token, or not a valid one.', 'Not authenticated'],
  409: ['StillRunning', 'The first request with this key has not come to an end; ask again.', 'The first request is still running'],
  413: ['TooLarge', 'The body is larger than 64 KiB.', 'The body is larger than 64 KiB'],
  415: ['NotJson', 'The body is not application/json in UTF-8, or it is compressed.', 'The body must be application/json in UTF-8'],
  422: [
    'Invalid',
    'The input breaks the contract, or has a member that no one knows; issues names each.',
    'quantity: must be an integer of at least 1',
  ],
  429: [
    'TooManyAttempts',
    'Ten wrong tokens came from this address within a minute, or more than 400 calls a second with this token; nothing was done.',
    'Too many wrong tokens; try again in 50 s',
  ],
  431: ['HeadersTooLarge', 'The address and the headers are larger than 16 KiB together.', 'The headers are larger than 16 KiB'],
  500: ['InternalError', 'Something broke inside the gateway; its log has the details.', 'Internal error'],
  503: [
    'UsersUnavailable',
    'The database does not answer, so no user can be looked up; nothing was done.',
    'Users cannot be looked up right now; nothing was done',
  ],
} as const;
type Status = keyof typeof refusals;
const statuses = [400, 401, 409, 413, 415, 422, 429, 431, 500, 503] as const satisfies Status[];

const refusalHeaders: Partial<Record<Status, NonNullable<Exclude<Response, { $ref: string }>['headers']>>> = {
  401: { 'WWW-Authenticate': textHeader('Always Bearer.') },
  429: { 'Retry-After': textHeader('Seconds to wait.') },
  503: { 'Retry-After': textHeader('Seconds to wait.') },
};

const keyHeaders = {
  'Idempotency-Replayed': textHeader('true: this is the stored answer, byte for byte; nothing was sent.'),
  'Idempotency-Key-Mismatch': textHeader('true: the key was first used with another request, whose answer this is.'),
  'Idempotency-Key-Known': textHeader('false: the answer to a replay-only request whose key is not known.'),
  'Idempotency-Stored': textHeader('false: the answer is true, but could not be stored yet.'),
  'Retry-After': textHeader('Seconds to wait before asking again, when the gateway refused without trying.'),
};
const placeHeaders = {
  ...keyHeaders,
  'Order-Resolved-At': textHeader('When an answer that was UNKNOWN at first became known, UTC.'),
};

const replayOnly = {
  name: 'Idempotency-Replay-Only',
  in: 'header' as const,
  description:
    'true (in any letter case) asks what is known under this key: a known key replays its answer, an unknown one sends nothing. Any other value is refused.',
  schema: { type: 'string' as const, enum: ['true'] },
};

/**
 * The OpenAPI 3.1 document of the router, brought to what the edge really does: connect's input in the query, no empty
 * bodies, named request schemas, public operations, and our own refusals in place of the library's.
 */
export function openApiDocument(): OpenAPIObject {
  const document = generateOpenApiDocument(appRouter, {
    title: 'Broker Gateway',
    version: '1',
    description:
      'One brokerage account over HTTP and JSON. Orders are placed at most once and answered with their real fill state. ' +
      'An operation that cannot be served answers 200 with success false; other statuses mean the request itself was refused.',
    license: { name: 'MIT', identifier: 'MIT' },
    baseUrl: '/',
    securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', description: 'An API token of the gateway.' } },
    defs: { RequestError, GatewayStatus },
  });
  const schemas: Schemas = Object.fromEntries(
    Object.entries(document.components?.schemas ?? {}).filter(([name]) => !name.startsWith('error.')),
  );
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of ['get', 'post'] as const) {
      const operation = item[method];
      if (operation) item[method] = corrected(operation, routeOf(path, method), schemas);
    }
  }
  Object.assign(schemas, streamSchemas());
  const stream = { [streamRoute.path]: { get: streamOperation(refusalsOf(streamRoute, false)) } };
  return readable({
    ...document,
    paths: grouped({ '/': { get: rootOperation(schemas) }, ...document.paths, ...stream }, schemas),
    tags: tags.map((tag) => ({ ...tag })),
    components: {
      schemas: Object.fromEntries(sorted(schemas).map(([name, schema]) => [name, exclusive(schema)])),
      responses: Object.fromEntries(statuses.map((status) => [refusals[status][0], refusal(status)])),
      ...(document.components?.securitySchemes && { securitySchemes: document.components.securitySchemes }),
    },
  });
}

/** What stands at the root, which is no procedure. */
function rootOperation(schemas: Schemas): OperationObject {
  const schema = schemaRef('GatewayStatus');
  return {
    operationId: 'getStatus',
    summary: 'Read what the gateway is doing',
    description: 'Name, mode, active broker and status. Needs no user.',
    tags: ['Broker'],
    security: [],
    responses: {
      200: { description: 'The gateway is up.', content: { 'application/json': { schema, example: exampleOf(schema, schemas) } } },
      431: { $ref: '#/components/responses/HeadersTooLarge' },
      500: { $ref: '#/components/responses/InternalError' },
    },
  };
}

function routeOf(path: string, method: 'get' | 'post'): Route {
  const route = Object.values<Route>(contract).find((entry) => entry.path === path && entry.method.toLowerCase() === method);
  if (!route) throw new Error(`The contract has no ${method} ${path}`);
  return route;
}

function corrected(operation: OperationObject, route: Route, schemas: Schemas): OperationObject {
  const { parameters = [], requestBody, responses = {}, security, ...words } = operation;
  const keyed = takesKeys(route);
  const posts = route.method === 'POST';
  const body = requestBody && 'content' in requestBody ? requestBody.content['application/json']?.schema : undefined;
  const properties = body && 'properties' in body ? (body.properties ?? {}) : {};
  const named = !route.query && Object.keys(properties).length > 0 ? route.input.meta()?.id : undefined;
  // The library forgets it of an input whose members are checked against each other.
  if (named && body) schemas[named] = { ...body, additionalProperties: false };
  const inputs = [...parameters, ...(route.query && posts ? queryParameters(properties) : []), ...(keyed ? [replayOnly] : [])];
  return {
    ...words,
    security: route.open ? [] : [{ bearerAuth: [] }],
    ...(inputs.length > 0 && { parameters: inputs.map(described) }),
    // Said whole, or tools would make up what has no example: a key that all their tries share.
    ...(named && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaRef(named), example: exampleOf(body, schemas) } } },
    }),
    responses: {
      200: answered(responses['200'], schemas, {
        headers: keyed && (route === contract.placeOrder ? placeHeaders : keyHeaders),
        name: `${words.operationId?.replace(/^./, (first) => first.toUpperCase())}Answer`,
      }),
      ...refusalsOf(route, named !== undefined),
    },
  };
}

function refusalsOf(route: Route, hasBody: boolean): Responses {
  return Object.fromEntries(
    statusesOf(route, hasBody).map((status) => [status, { $ref: `#/components/responses/${refusals[status][0]}` }]),
  );
}

/** The refusals an operation can meet. */
function statusesOf(route: Route, hasBody: boolean): Status[] {
  const posts = route.method === 'POST';
  const when: Record<Status, boolean> = {
    400: hasBody || route.path.includes('{'),
    401: !route.open,
    409: route === contract.placeOrder,
    413: posts,
    415: posts,
    422: true,
    429: !route.open,
    431: true,
    500: true,
    503: !route.open,
  };
  return statuses.filter((status) => when[status]);
}

function queryParameters(properties: Readonly<Record<string, Schema>>): Parameter[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: true, schema }));
}

/** A parameter carries its schema's description and example itself, where tools look for them. */
function described(parameter: Parameter): Parameter {
  if (!('schema' in parameter) || !parameter.schema || !('type' in parameter.schema)) return parameter;
  const { description, examples, ...schema } = parameter.schema;
  const text = parameter.description ?? description;
  return {
    ...parameter,
    ...(text && { description: text }),
    schema,
    ...(examples?.[0] !== undefined && { example: examples[0] }),
  };
}

/** What is answered with 200. A union gets the name, where it has none: generators would make one up. */
function answered(
  response: Response | undefined,
  schemas: Schemas,
  { headers, name }: { headers: false | typeof keyHeaders; name: string },
): Response {
  const content = response && 'content' in response ? response.content : undefined;
  const given = content?.['application/json']?.schema;
  const isUnion = given && 'anyOf' in given && given.anyOf !== undefined;
  if (isUnion) schemas[name] = given;
  const schema = isUnion ? schemaRef(name) : given;
  return {
    description: 'The call was answered; success tells whether the operation succeeded.',
    ...(headers && { headers }),
    content: { 'application/json': { ...(schema && { schema, example: exampleOf(schema, schemas) }) } },
  };
}

function refusal(status: Status): Response {
  const [, description, message] = refusals[status];
  const headers = refusalHeaders[status];
  const [path = '', problem = ''] = message.split(': ');
  const example = { success: false, message, ...(status === 422 && { issues: [{ path, message: problem }] }) };
  return { description, ...(headers && { headers }), content: { 'application/json': { schema: schemaRef('RequestError'), example } } };
}

function sorted<Value>(record: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
