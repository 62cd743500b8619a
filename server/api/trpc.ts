import { initTRPC, TRPCError } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import type { z } from 'zod';
import { type Contract, contract, type OperationId } from '../../contract/index.ts';
import type { PlaceReply } from '../orders/answer.ts';
import type { Gateway } from './gateway.ts';

/** What one request brings to its procedure, and what it wants said in the answer's head. */
export interface RequestContext {
  gateway: Gateway;
  /** Name of the authenticated user; null on open routes without a token. */
  user: string | null;
  replayOnly: boolean;
  /** The request's input, decided by the edge: what the procedure reads, wherever in the request it stood. */
  input: Record<string, unknown>;
  reply: { status: number; headers: Record<string, string>; delivered?: PlaceReply['delivered'] };
}

const t = initTRPC
  .context<RequestContext>()
  .meta<OpenApiMeta>()
  .create({ errorFormatter: () => ({ success: false as const, message: 'Internal error' }) });

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

/** The procedure builder of one contract entry: its path, words, input and output; only open routes run without a user. */
export function implement<Id extends OperationId>(operationId: Id) {
  const entry = contract[operationId];
  return t.procedure
    .meta({
      openapi: {
        method: entry.method,
        path: entry.path,
        operationId,
        summary: entry.summary,
        description: entry.description,
        tags: ['Broker'],
        protect: !entry.open,
      },
    })
    .use(({ ctx, next }) => {
      if (!entry.open && ctx.user === null) throw new TRPCError({ code: 'UNAUTHORIZED' });
      return next({ getRawInput: async () => ctx.input });
    })
    .input(entry.input as Contract[Id]['input'])
    .output(entry.output as Contract[Id]['output'] & z.ZodType);
}
