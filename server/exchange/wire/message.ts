import type { IncomingMessage } from 'node:http';
import { systemRandom } from '../../clock.ts';

/** A request as it came over the wire. Path without query, without doubled slashes. */
export interface WireRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
  /** Where this emulator answers, e.g. http://127.0.0.1:5110. */
  origin: string;
}

export interface WireReply {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** A JSON answer. */
export function json(status: number, body: unknown): WireReply {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

/** A login token nobody can guess, also by who knows the seed. */
export function newToken(): string {
  return Buffer.from(systemRandom.bytes(24)).toString('base64url');
}
