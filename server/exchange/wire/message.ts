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

/** An answer too long for one piece. */
export interface LongReply extends Omit<WireReply, 'body'> {
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** A JSON answer. */
export function json(status: number, body: unknown): WireReply {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

/** A line of text. */
export function plain(status: number, body: string): WireReply {
  return { status, headers: { 'Content-Type': 'text/plain' }, body };
}

export function csv(body: string): WireReply {
  return { status: 200, headers: { 'Content-Type': 'text/csv' }, body };
}

/** Nothing but a status. */
export function bare(status: number, headers: Record<string, string> = {}): WireReply {
  return { status, headers, body: '' };
}

export function redirect(location: string): WireReply {
  return bare(302, { Location: location });
}

/** What a JSON text says; undefined when it is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The token of an `Authorization: Bearer` header; empty without one. */
export function bearerOf({ headers }: WireRequest): string {
  return /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** A login token nobody can guess, also by who knows the seed. */
export function newToken(): string {
  return Buffer.from(systemRandom.bytes(24)).toString('base64url');
}
