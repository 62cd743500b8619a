import type { OpenApiMeta } from 'trpc-to-openapi';
import type { z } from 'zod';

type Method = NonNullable<OpenApiMeta['openapi']>['method'];

export interface Route<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  method: Extract<Method, 'GET' | 'POST'>;
  path: `/broker/${string}`;
  summary: string;
  description: string;
  /** Served without a user. */
  open?: boolean;
  /** The input travels in the query, also on POST. */
  query?: boolean;
  input: Input;
  output: Output;
}

/** One entry of the contract; its key in the table is its operation id. */
export function route<Input extends z.ZodObject, Output extends z.ZodType>(entry: Route<Input, Output>): Route<Input, Output> {
  return entry;
}

/** Whether a caller's key makes its repeats safe. */
export function takesKeys(route: Route): boolean {
  return Object.hasOwn(route.input.shape, 'idempotency_key');
}
