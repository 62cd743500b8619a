import { describe, expect, test } from 'vitest';
import type { Connected } from '../../server/brokers/broker.ts';
import { type Stubbed, stubBroker } from './stub-broker.ts';
import type { Answer, Seen } from './stub-server.ts';

type Settings = Record<string, string>;

/** How one broker signs in, as data. Answers are whole envelopes of its wire protocol. */
export interface LoginFacts {
  /** What is stored of a login with this token, made at the stub server's address. */
  values(token: string, url: string): Record<string, string>;
  /** The route a login is tried on, what it answers to a good one, and the token of a call. */
  trial: { route: string; good: Answer; tokenOf(seen: Seen): string | undefined };
  /** The token that signing in with the suite's credentials leads to. */
  fresh: string;
  /** Answers that refuse a stored login, and one of a broker that is merely down. */
  refused: Record<string, Answer>;
  down: Answer;
  /** Calls that make a login: not asked while a stored one lives or cannot be judged. */
  makers: string[];
  /** Where a login needs a code of the broker's page. */
  code?: CodeFacts;
  /** Where the broker can end a login: the call and its answer, what is sent with it, and what `logout` then tells. */
  logout?: { route: string; answer: Answer; sent(seen: Seen): unknown; expected: unknown; data: unknown };
}

export interface CodeFacts {
  /** With these the code is traded; each of `needs` is named where it is missing. */
  settings: Settings;
  needs: string[];
  /** What the trade sends, as `sent` reads it, and the token it brings. */
  route: string;
  sent(seen: Seen): unknown;
  expected: unknown;
  token: string;
  /** A refusal, what is said of it, and what is not. */
  refusal: { answer: Answer; says: RegExp; hides: RegExp };
  /** Answers to the trade that bring no token. */
  broken: Record<string, Answer>;
  page: { settings?: Settings; url: string; needs: string[]; query: Settings; denied: Settings[] };
}

const noAnswer: Record<string, Answer> = { 'a page': { body: '<html>' }, 'a dead connection': 'reset' };
const failed = { success: false, message: expect.stringMatching(/./) };

/** What is known of a broker beside its logins. */
export interface Known extends Stubbed {
  account: string;
  reads: { tradebook: { route: string } };
  expired: Answer;
}

/** The cases of signing in, and of what is left of a login after the next. */
export function loginCases({ definition, credentials, account, healthy, reads, expired }: Known, facts: LoginFacts): void {
  const { trial, code, logout } = facts;
  const prefix = definition.id.toUpperCase();
  const here = stubBroker({ definition, credentials, healthy });
  const stored = (token: string, livesMs: number) => ({
    values: facts.values(token, here.stub.url),
    expiresAt: new Date(Date.now() + livesMs).toISOString(),
  });
  const tried = () => here.stub.calls(trial.route).map(trial.tokenOf);
  const makers = () => facts.makers.flatMap((route) => here.stub.calls(route));
  const tokens = (connected: Connected) => (connected.success ? Object.values(connected.login.values) : connected.message);

  describe('a stored login', () => {
    test('is used while it lives', async () => {
      expect(tokens(await here.broker.connect(stored('kept', 60_000)))).toContain('kept');
      expect(tried()).toEqual(['kept']);
      expect(makers()).toEqual([]);
    });
    test('is not tried after its end', async () => {
      expect(tokens(await here.broker.connect(stored('kept', -1)))).toContain(facts.fresh);
      expect(tried()).not.toContain('kept');
    });
    test.each(Object.entries(facts.refused))('gives way to another when refused with %s, and ends no session', async (_what, answer) => {
      here.stub.on(trial.route, (seen) => (trial.tokenOf(seen) === 'kept' ? answer : trial.good));
      expect(tokens(await here.broker.connect(stored('kept', 60_000)))).toContain(facts.fresh);
      expect(tried()[0]).toBe('kept');
      expect(here.made.expired).toEqual([]);
    });
    test('is kept, and nothing spent on another, while the broker is merely down', async () => {
      if (code) here.use(code.settings);
      here.stub.on(trial.route, facts.down);
      expect(await here.broker.connect(stored('kept', 60_000))).toMatchObject(failed);
      expect(makers()).toEqual([]);
    });
  });

  test('a dead login answered to an older token does not end the newer one', async () => {
    await here.broker.connect(null);
    const held = Promise.withResolvers<Answer>();
    const { route } = reads.tradebook;
    here.stub.on(route, () => held.promise);
    const late = here.broker.tradebook?.();
    while (here.stub.calls(route).length === 0) await new Promise((done) => setTimeout(done, 5));
    expect(tokens(await here.broker.connect(stored('newer', 60_000)))).toContain('newer');
    held.resolve(expired);
    expect(await late).toMatchObject(failed);
    expect(here.made.expired).toEqual([]);
  });

  if (code) codeCases(code);

  function codeCases({ settings, needs, route, sent, expected, token, refusal, broken, page }: CodeFacts): void {
    describe('a code of the broker’s page', () => {
      test('is traded for a token, without a login, and the token tried', async () => {
        here.use(settings);
        const connected = await here.broker.connect(null);
        expect(connected).toMatchObject({ success: true, account });
        expect(tokens(connected)).toContain(token);
        expect(here.stub.calls(route).map(sent)).toEqual([expected]);
        expect(here.stub.calls(route)[0]?.headers.authorization).toBeUndefined();
        expect(tried()).toEqual([token]);
      });
      test.each(needs)('without the setting %s names it and asks nobody', async (name) => {
        here.use({ ...settings, [name]: '' });
        expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining(`${prefix}_${name}`) });
        expect(here.stub.seen).toEqual([]);
      });
      test('that is refused is not tried again, told without secrets, and what to do', async () => {
        here.use(settings);
        here.stub.on(route, refusal.answer);
        const refused = await here.broker.connect(null);
        expect(refused).toMatchObject({ success: false, message: expect.stringMatching(refusal.says) });
        expect(refused.message).not.toMatch(refusal.hides);
        expect(here.stub.calls(route).length).toBe(1);
      });
      test.each(Object.entries({ ...noAnswer, ...broken }))('answered with %s brings no login and is tried once', async (_what, answer) => {
        here.use(settings);
        here.stub.on(route, answer);
        expect(await here.broker.connect(null)).toMatchObject(failed);
        expect(here.stub.calls(route).length).toBe(1);
        expect(tried()).toEqual([]);
      });
      test('comes from the login page, and its redirect signs in', async () => {
        for (const name of page.needs) {
          here.use({ ...credentials, ...page.settings, [name]: '' });
          expect(() => definition.login?.url(here.made.env)).toThrow(`${prefix}_${name}`);
        }
        here.use({ ...credentials, ...page.settings });
        expect(definition.login?.url(here.made.env)).toBe(page.url);
        const redirected = await definition.login?.exchange(here.made.env, page.query);
        expect(redirected && tokens(redirected)).toContain(token);
        for (const denied of page.denied) expect(await definition.login?.exchange(here.made.env, denied)).toMatchObject(failed);
        expect(here.stub.calls(route).length).toBe(1);
      });
    });
  }

  if (logout) {
    test('logging out ends the login at the broker, asked once; where that fails the login lives on', async () => {
      await here.broker.connect(null);
      here.stub.on(logout.route, facts.down);
      expect(await here.broker.logout()).toMatchObject(failed);
      here.stub.on(logout.route, logout.answer);
      expect(await here.broker.logout()).toEqual({ success: true, data: logout.data });
      expect(here.stub.calls(logout.route).map(logout.sent)).toEqual([logout.expected, logout.expected]);
    });
  }
}
