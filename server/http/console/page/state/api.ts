import { dropToken, token } from './token.ts';

/** An answer of the gateway: `body` as it was read, null where it was no JSON. */
export interface Answer<Body = unknown> {
  status: number;
  headers: Headers;
  body: Body;
  /** The body as text, exactly as it came. */
  text: string;
}

/** No answer came: the gateway is away, the network is, or it took too long. What was asked may have happened. */
export class NoAnswer extends Error {}

/** The gateway answered and did not do it; the message is its own. */
export class Refused extends Error {
  readonly answer: Answer;
  constructor(message: string, answer: Answer) {
    super(message);
    this.answer = answer;
  }
}

export interface Asking {
  method?: 'GET' | 'POST';
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  /** Instead of the tab's token. */
  as?: string;
}

export const TOKEN_REFUSED = 'The gateway does not take this token any more. Sign in with one that is valid.';

/** Asks the gateway, whatever it answers. Throws NoAnswer. A token that it does not take signs the tab out. */
export async function ask<Body = unknown>(path: string, asking: Asking = {}): Promise<Answer<Body>> {
  const { method = 'GET', body, headers = {}, timeoutMs = 15_000 } = asking;
  const used = asking.as ?? token.value ?? '';
  const json: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  let answer: Answer<Body>;
  try {
    const response = await fetch(path, {
      method,
      headers: { Authorization: `Bearer ${used}`, ...json, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
    });
    const text = await response.text();
    answer = { status: response.status, headers: response.headers, text, body: parsed(text) as Body };
  } catch (error) {
    throw new NoAnswer(
      error instanceof DOMException && error.name === 'TimeoutError' ? 'No answer in time' : 'The gateway cannot be reached',
    );
  }
  if (answer.status === 401 && asking.as === undefined && used === token.value) dropToken(TOKEN_REFUSED);
  return answer;
}

/** Asks for something and gives its body, of `success: true`. Throws NoAnswer and Refused. */
export async function get<Body>(path: string, query: Readonly<Record<string, string | undefined>> = {}): Promise<Body> {
  return bodyOf<Body>(await ask(withQuery(path, query)));
}

/** Has something done that may be done twice: switches, logins, tests. Throws NoAnswer and Refused. */
export async function post<Body>(path: string, body?: unknown, timeoutMs?: number): Promise<Body> {
  return bodyOf<Body>(await ask(path, { method: 'POST', body, ...(timeoutMs !== undefined && { timeoutMs }) }));
}

/** A sentence for a person, of whatever went wrong. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

function bodyOf<Body>(answer: Answer): Body {
  const { success, message } = (answer.body ?? {}) as { success?: unknown; message?: unknown };
  if (answer.status === 200 && success !== false) return answer.body as Body;
  throw new Refused(typeof message === 'string' ? message : `The gateway answered ${answer.status}`, answer);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
