import type { IncomingHttpHeaders } from 'node:http';
import { unwrapZodType } from 'trpc-to-openapi';
import { z } from 'zod';
import type { Route } from '../../contract/route.ts';
import { type Issue, invalid } from './refusal.ts';
import { unknownMembers } from './unknown-members.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;
type ParseInput = (raw: unknown) => Record<string, unknown>;

/** Reads a route's input with the contract's own schema; throws the 422 that says of every bad field what it must be, and names every member it has not. */
export function inputParser(route: Route): ParseInput {
  for (const [, field] of fieldsOf(route)) keepStrict(field);
  const requirements = new Map(fieldsOf(route).map(([name, field]) => [name, requirement(z.toJSONSchema(field, { io: 'input' }))]));
  return (raw) => {
    const parsed = route.input.safeParse(raw, { reportInput: true });
    if (parsed.success) return parsed.data;
    throw invalid(parsed.error.issues.flatMap((issue) => explain(issue, requirements)));
  };
}

/** The query as raw input; a name given twice is refused. */
export function queryInput(query: URLSearchParams): Record<string, string> {
  const twice = [...new Set(query.keys())].filter((name) => query.getAll(name).length > 1);
  if (twice.length > 0) throw invalid(twice.map((path) => ({ path, message: 'must be given once' })));
  return Object.fromEntries(query);
}

/** Refuses what stands in the query of a route that takes nothing from there: whoever gives `?reduce_only=true` must not believe that it counts. */
export function refuseQuery(query: URLSearchParams, route: Route): void {
  const names = [...new Set(query.keys())];
  const misplaced = names.filter((name) => Object.hasOwn(route.input.shape, name));
  const unknown = names.filter((name) => !misplaced.includes(name));
  const issues = [...misplaced.map((path) => ({ path, message: 'is not taken from the query' })), ...unknownMembers(unknown, [])];
  if (issues.length > 0) throw invalid(issues);
}

const REPLAY_ONLY = 'Idempotency-Replay-Only';

/** Whether a request with a key only asks what is known. Any word but `true` is refused: whoever sends the header does not mean to send an order. */
export function replayOnly(headers: IncomingHttpHeaders): boolean {
  const word = headers['idempotency-replay-only'];
  if (word === undefined) return false;
  if (String(word).trim().toLowerCase() === 'true') return true;
  throw invalid([{ path: REPLAY_ONLY, message: 'must be true, once; without this header it is sent' }]);
}

/**
 * trpc-to-openapi switches the schemas it serves to coercion at every request, those inside lists and objects too: it would read null, "" and true as numbers,
 * and "no" as true, from then on. The switch is made inert.
 */
function keepStrict(field: z.ZodType): void {
  const inner = unwrapZodType(field, false);
  Object.defineProperty(inner.def, 'coerce', { get: () => undefined, set: () => undefined, configurable: true });
  if (inner instanceof z.ZodObject) for (const member of Object.values(inner.shape)) keepStrict(z.instanceof(z.ZodType).parse(member));
}

function fieldsOf(route: Route): [name: string, field: z.ZodType][] {
  return Object.entries(route.input.shape).map(([name, field]) => [name, z.instanceof(z.ZodType).parse(field)]);
}

function explain(issue: z.core.$ZodIssue, requirements: ReadonlyMap<string, string>): Issue | Issue[] {
  if (issue.code === 'unrecognized_keys') return unknownMembers(issue.keys, [...requirements.keys()]);
  const path = issue.path.join('.');
  if (path === '') return { path: 'body', message: 'must be a JSON object' };
  if (issue.input === undefined) return { path, message: 'is required' };
  if (issue.code === 'too_big' && issue.origin === 'number') return { path, message: `must be at most ${issue.maximum}` };
  if (issue.code === 'custom') return { path, message: issue.message };
  return { path, message: requirements.get(path) ?? 'is invalid' };
}

/** What a field must be, in words. */
function requirement(schema: JsonSchema): string {
  const inner = schema.anyOf?.find((option) => option.type !== 'null') ?? schema;
  const orNull = schema.anyOf ? ', or null' : '';
  const { minLength = 0, maxLength } = inner;
  const length = minLength > 0 ? `${minLength} to ${maxLength}` : `at most ${maxLength}`;
  const words: Record<string, string> = {
    integer: `must be an integer of at least ${inner.minimum}`,
    number: `must be a number of at least ${inner.minimum}`,
    string: `must be text of ${length} characters`,
    boolean: 'must be true or false',
  };
  return `${words[String(inner.type)] ?? 'is invalid'}${orNull}`;
}
