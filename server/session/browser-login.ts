import type { FinishLoginRequest, LoginBegun } from '../../contract/login.ts';
import type { BrokerDefinition, BrokerEnv, Failure } from '../brokers/broker.ts';
import type { JournalNote } from '../journal/journal.ts';
import { type BrokerParts, brokerEnv, definitionOf, supportedHint, textOf } from './brokers.ts';
import type { Logins } from './logins.ts';
import type { SessionChange, Sessions } from './sessions.ts';

const LIFE_MS = 600_000;
/** Logins begun and not finished; beyond, the oldest is forgotten. */
const MOST = 50;
const CALLBACK = '/console/callback';

/** A login that waits for what the broker's page gives. */
interface Begun {
  user: string;
  definition: BrokerDefinition;
  /** Monotonic ms. */
  until: number;
}

export interface BrowserLoginParts extends BrokerParts {
  logins: Pick<Logins, 'write'>;
  sessions: Pick<Sessions, 'connect'>;
  journal: { note(note: JournalNote): Promise<void> };
}

export interface LoginOperations {
  /** `user`: who begins it, and alone may finish it. */
  beginLogin(broker: string, user: string): Promise<LoginBegun | Failure>;
  finishLogin(request: FinishLoginRequest, user: string): Promise<SessionChange | Failure>;
}

/** Logins on the brokers' own pages, over HTTP. What the pages give is traded at once and kept nowhere; only the day's login is, encrypted. */
export class BrowserLogins implements LoginOperations {
  readonly #parts: BrowserLoginParts;
  readonly #begun = new Map<string, Begun>();
  #port: number;

  constructor(parts: BrowserLoginParts) {
    this.#parts = parts;
    this.#port = parts.config.port;
  }

  /** The port the gateway listens on, where the setting leaves that open. */
  servedOn(port: number): void {
    this.#port = port;
  }

  /** Where the brokers' pages are to send the browser back to. */
  get callback(): string {
    const { publicUrl, tls } = this.#parts.config;
    return `${publicUrl ?? `${tls ? 'https' : 'http'}://127.0.0.1:${this.#port}`}${CALLBACK}`;
  }

  async beginLogin(name: string, user: string): Promise<LoginBegun | Failure> {
    let definition: BrokerDefinition;
    try {
      definition = definitionOf(this.#parts, name);
    } catch (error) {
      return { success: false, message: `${textOf(error)}. ${supportedHint}` };
    }
    const { login } = definition;
    if (!login) return none(definition);
    const state = Buffer.from(this.#parts.random.bytes(24)).toString('base64url');
    let address: string;
    try {
      address = login.url(this.#env(definition), state);
    } catch (error) {
      return { success: false, message: `${definition.name}: ${textOf(error)}` };
    }
    this.#keep(state, { user, definition, until: this.#parts.clock.mono() + LIFE_MS });
    const { callback } = this;
    return {
      success: true,
      broker: definition.id,
      kind: 'redirect',
      state,
      address,
      redirect_expected: callback,
      code_name: login.codeIn,
      expires_at: new Date(this.#parts.clock.now() + LIFE_MS).toISOString(),
      message: `Sign in on the page of ${definition.name}. It sends the browser to the address registered for your app: register ${callback}, or paste the address the browser ends at.`,
    };
  }

  async finishLogin({ state, callback, code }: FinishLoginRequest, user: string): Promise<SessionChange | Failure> {
    const begun = this.#begun.get(state);
    if (!begun || begun.user !== user || begun.until <= this.#parts.clock.mono()) return over;
    // Whatever comes of it, it does not work again.
    this.#begun.delete(state);
    const { definition } = begun;
    const { login, id, name } = definition;
    if (!login) return over;
    const query = callback === undefined ? { [login.codeIn]: (code ?? '').trim() } : queryOf(callback);
    if (!query)
      return {
        success: false,
        message: `That is no address ${name}'s page sends to: it has no query, or a name twice. Begin the login again`,
      };
    if (callback !== undefined && login.stateIn !== undefined && query[login.stateIn] !== state)
      return { success: false, message: `${name} sent the browser back from another login. Begin it again` };
    try {
      const connected = await login.exchange(this.#env(definition), query);
      if (!connected.success) return { success: false, message: connected.message };
      await this.#parts.logins.write(id, connected.account, connected.login);
      const note = { kind: 'session.signed_in', broker: id, account: connected.account, detail: { by: user } };
      await this.#parts.journal.note(note).catch(() => undefined);
    } catch (error) {
      this.#parts.log.error({ broker: id, error: String(error) }, 'A login could not be finished');
      return { success: false, message: `The login at ${name} could not be finished: begin it again` };
    }
    return await this.#parts.sessions.connect(id);
  }

  #keep(state: string, begun: Begun): void {
    const now = this.#parts.clock.mono();
    for (const [other, { until }] of this.#begun) if (until <= now || this.#begun.size >= MOST) this.#begun.delete(other);
    this.#begun.set(state, begun);
  }

  /** The page sends the browser to the console, unless the settings name another address that was registered. */
  #env(definition: BrokerDefinition): BrokerEnv {
    const env = brokerEnv(this.#parts, definition, () => undefined);
    const given = this.#parts.config.mode === 'practice' ? undefined : env.credentials.REDIRECT_URI;
    return { ...env, credentials: { ...env.credentials, REDIRECT_URI: given ?? this.callback } };
  }
}

const over: Failure = {
  success: false,
  message: "This login is not known: it was finished, is older than ten minutes, or is another user's. Begin it again",
};

function none({ id, name }: BrokerDefinition): LoginBegun {
  const nothing = { state: null, address: null, redirect_expected: null, code_name: null, expires_at: null };
  return { success: true, broker: id, kind: 'none', ...nothing, message: `${name} needs no page: connect it, it signs in by its settings` };
}

/** The members of a query, or of an address with one; null where there are none, or one twice. */
function queryOf(callback: string): Record<string, string> | null {
  const text = callback.trim();
  const members = URL.parse(text)?.searchParams ?? new URLSearchParams(text.replace(/^\?/, ''));
  const names = [...members.keys()];
  return names.length > 0 && new Set(names).size === names.length ? Object.fromEntries(members) : null;
}
