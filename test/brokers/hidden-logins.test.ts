import { afterEach, expect, test } from 'vitest';
import type { BrokerDefinition } from '../../server/brokers/broker.ts';
import * as aliceblue from './aliceblue.suite.ts';
import * as fivepaisa from './fivepaisa.suite.ts';
import * as kotak from './kotak.suite.ts';
import { type Answer, envFor, openStub, type StubServer } from './stub-server.ts';

/** Steps of a login whose refusal comes as a success, or while more than the settings is secret. */
interface Step {
  suite: { suite: { definition: BrokerDefinition }; healthy(stub: StubServer): void };
  credentials: Record<string, string>;
  route: string;
  /** Refuses with this text. */
  refusal(text: string): Answer;
  /** Secrets the step knows beside the settings. */
  tokens: readonly string[];
}

const fivepaisaRefusal = (Message: string): Answer => ({
  body: { head: { Status: 0, StatusDescription: 'Success' }, body: { Status: 1, Message, RequestToken: '', AccessToken: '' } },
});
const steps: Record<string, Step> = {
  'the time code at 5paisa': {
    suite: fivepaisa,
    credentials: fivepaisa.credentials,
    route: 'POST /TOTPLogin',
    refusal: fivepaisaRefusal,
    tokens: [],
  },
  'the request token at 5paisa': {
    suite: fivepaisa,
    credentials: fivepaisa.credentials,
    route: 'POST /GetAccessToken',
    refusal: fivepaisaRefusal,
    tokens: ['e30.request-token-3b4c.s'],
  },
  'the code at Alice Blue': {
    suite: aliceblue,
    credentials: { APP_CODE: 'testapp-0a1b', API_SECRET: 'testsecret-2c3d', USER_ID: 'ZT0001', AUTH_CODE: 'testcode-6a7b' },
    route: aliceblue.routes.token,
    refusal: (emsg) => ({ body: { stat: 'Not_ok', emsg } }),
    tokens: [],
  },
  'the MPIN step at Kotak': {
    suite: kotak,
    credentials: kotak.credentials,
    route: 'POST /login/1.0/tradeApiValidate',
    refusal: (emsg) => ({ status: 401, body: { stat: 'Not_Ok', emsg, stCode: 1009 } }),
    tokens: ['view.token.a1', 'view-sid-b2'],
  },
};

let stub: StubServer;
afterEach(() => stub.close());

test.each(Object.entries(steps))(
  '%s: what the refusal repeats is hidden',
  async (_what, { suite, credentials, route, refusal, tokens }) => {
    stub = await openStub();
    suite.healthy(stub);
    const secrets = [
      ...Object.entries(credentials).flatMap(([name, value]) => (/^USER_ID$|CLIENT_CODE|UCC/.test(name) ? [] : [value])),
      ...tokens,
    ];
    stub.on(route, refusal(`no: ${secrets.join(', ')}, thanks`));
    const { definition } = suite.suite;
    const broker = definition.create({ ...envFor(definition, stub.url, credentials).env, loginUrl: stub.url });
    const connected = await broker.connect(null);
    await broker.close();
    expect(connected).toMatchObject({ success: false, message: expect.stringMatching(/no: (\[hidden\], )+thanks/) });
    expect(stub.calls(route).length).toBe(1);
  },
);
