import type { z } from 'zod';
import type { BrokerDefinition, BrokerEnv, Connected, StoredLogin } from './broker.ts';
import type { Answer } from './dialect.ts';
import { connectByToken, connected, loginFailure, type TokenLogin, type Verified } from './login-trial.ts';
import { failure, issueText } from './parse.ts';

type Query = Readonly<Record<string, string>>;
/** Settings without the broker's prefix, each with what is said beside "is not set". */
export type Needs = Query;

/** Names the first of `needs` that is not set; null when all are. */
function unset(prefix: string, { credentials }: BrokerEnv, needs: Needs): string | null {
  const missing = Object.entries(needs).find(([name]) => !credentials[name]);
  return missing ? `${prefix}_${missing[0]} is not set${missing[1]}` : null;
}

/** A login on the broker's own page. */
export interface PageLogin<Api, Code> {
  name: string;
  prefix: string;
  page: {
    needs: Needs;
    query(env: BrokerEnv, state: string): Record<string, string> /** The member that brings it back. */;
    stateIn?: string;
  };
  /** What the page sends the browser back with, and how messages call it. */
  code: { inQuery(query: Query): Code | undefined; called: string /** Its member of the query. */; codeIn: string };
  createApi(env: BrokerEnv): Api;
}

/** `url` throws where a setting is missing; `exchange` signs in with what came back on the redirect, in a connection of its own. */
export function pageLogin<Api extends { close(): Promise<void> }, Code>(
  { name, prefix, page, code, createApi }: PageLogin<Api, Code>,
  exchange: (env: BrokerEnv, api: Api, code: Code) => Promise<Connected>,
): Required<BrokerDefinition>['login'] {
  return {
    codeIn: code.codeIn,
    ...(page.stateIn !== undefined && { stateIn: page.stateIn }),
    url(env, state = 'broker-gateway') {
      const missing = unset(prefix, env, page.needs);
      if (missing !== null) throw new Error(missing);
      return `${env.loginUrl}?${new URLSearchParams(page.query(env, state))}`;
    },
    async exchange(env, query) {
      const found = code.inQuery(query);
      if (!found) return failure(`${name} sent the browser back without ${code.called}`);
      const api = createApi(env);
      try {
        return await exchange(env, api, found);
      } finally {
        await api.close();
      }
    },
  };
}

/** A broker that wants its page once a day: a code from there is traded for the day's token, and the settings may hold either. */
export interface DayLogin<Api, Code, Session> extends PageLogin<Api, Code>, Pick<TokenLogin, 'howTo' | 'wants' | 'refused' | 'key'> {
  /** Without these nothing is tried. */
  needs?: Needs;
  token: string;
  code: PageLogin<Api, Code>['code'] & {
    inSettings(credentials: BrokerEnv['credentials']): Code | undefined;
    needs(code: Code): Needs;
    /** One call, without a login. */
    trade(env: BrokerEnv, api: Api, code: Code): Promise<Answer>;
    /** The message for a refusal, before `howTo`. */
    refused(message: string): string;
    session: z.ZodType<Session>;
    open(env: BrokerEnv, api: Api, session: Session): Promise<Verified>;
  };
  verify(env: BrokerEnv, api: Api, token: string, until: number | null): Promise<Verified>;
}

export function dayLogin<Api extends { signOut(): void; close(): Promise<void> }, Code, Session>(flow: DayLogin<Api, Code, Session>) {
  const { name, prefix, code, howTo } = flow;

  /** Trades a code, which works once, for the day's token. */
  async function exchange(env: BrokerEnv, api: Api, given: Code): Promise<Connected> {
    const missing = unset(prefix, env, code.needs(given));
    if (missing !== null) return failure(missing);
    api.signOut();
    env.redactor.learn(given);
    const answer = await code.trade(env, api, given);
    if (!answer.success) return loginFailure(`${name} refused the ${code.refused(answer.message)}: ${howTo}`, answer);
    const session = code.session.safeParse(answer.data);
    return session.success ? connected(await code.open(env, api, session.data)) : failure(`${name}'s session: ${issueText(session.error)}`);
  }

  return {
    login: pageLogin(flow, exchange),
    /** Signs in: the stored login while it lives, then the token of the settings, then their code; each is tried at the broker. */
    async connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
      const missing = unset(prefix, env, flow.needs ?? {});
      if (missing !== null) return failure(missing);
      const given = code.inSettings(env.credentials);
      return connectByToken(env, stored, {
        ...flow,
        given: env.credentials[flow.token],
        verify: (token, until) => flow.verify(env, api, token, until),
        fresh: () => (given ? exchange(env, api, given) : null),
      });
    },
  };
}
