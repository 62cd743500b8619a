import { describe, expect, test } from 'vitest';
import { kotak } from '../../../server/brokers/kotak/adapter.ts';
import { createApi } from '../../../server/brokers/kotak/api.ts';
import { masterFiles } from '../../../server/brokers/kotak/master-files.ts';
import { kotakStub } from '../kotak.stub.ts';
import { credentials } from '../kotak.suite.ts';

const route = 'GET /script-details/1.0/masterscrip/file-paths';
const names = [
  'transformed/nse_fo.csv',
  'transformed/bse_fo.csv',
  'transformed/mcx_fo.csv',
  'transformed/cde_fo.csv',
  'transformed/nse_com.csv',
];
const shares = ['transformed-v1/nse_cm-v1.csv', 'transformed-v1/bse_cm-v1.csv'];

describe('the instrument files Kotak names', () => {
  const at = kotakStub();
  const folder = () => `${at.stub.url}/wso2-scripmaster/v1/prod/2026-09-25`;
  const serve = (filesPaths: unknown) => at.stub.on(route, { body: { data: { filesPaths, baseFolder: folder() } } });
  const all = () => [...names, ...shares].map((name) => `${folder()}/${name}`);

  test('are those of the exchanges traded here, asked for with the access token alone', async () => {
    serve(all());
    await at.broker.connect(null);
    expect(await at.broker.masterFiles?.()).toEqual(all().filter((address) => !address.endsWith('nse_com.csv')));
    const [call] = at.stub.calls(route);
    expect(call?.headers).toMatchObject({ authorization: credentials.ACCESS_TOKEN });
    expect(call?.headers).not.toHaveProperty('auth');
  });

  test('count once each', async () => {
    serve([`${folder()}/transformed/nse_cm.csv`, ...all()]);
    await at.broker.connect(null);
    expect(await at.broker.masterFiles?.()).toHaveLength(6);
  });

  test.each([
    // A moved API has no business with the real one's files.
    'https://lapi.kotaksecurities.com/nse_fo.csv',
    'https://example.com/nse_fo.csv',
    'http://127.0.0.2/nse_fo.csv',
    'https://127.0.0.1/nse_fo.csv',
    'https://kotaksecurities.com.example.com/nse_fo.csv',
    'ftp://lapi.kotaksecurities.com/nse_fo.csv',
    'https://lapi.kotaksecurities.com@example.com/nse_fo.csv',
  ])('are not read from %s', async (address) => {
    serve([...all().slice(1), address]);
    await at.broker.connect(null);
    await expect(at.broker.masterFiles?.()).rejects.toThrow('not its own');
  });

  test.each([
    ['https://lapi.kotaksecurities.com/v1/nse_fo.csv', true],
    ['http://lapi.kotaksecurities.com/v1/nse_fo.csv', false],
    ['https://lapi.notkotaksecurities.com/v1/nse_fo.csv', false],
  ])('are read from %s while the API was not moved: %s', async (address, good) => {
    const api = createApi(at.made.env);
    api.signIn({ token: 't', sid: 's', baseUrl: at.stub.url });
    serve([address]);
    const files = masterFiles({ ...at.made.env, apiUrl: kotak.urls.api }, api);
    await (good ? expect(files).resolves.toEqual([address]) : expect(files).rejects.toThrow('not its own'));
    await api.close();
  });

  test.each([
    ['none', [], 'no instrument file'],
    ['no address', ['nse_fo.csv'], 'no instrument file'],
    ['no list', 'https://lapi.kotaksecurities.com/nse_fo.csv', 'filesPaths'],
  ])('%s: told as a failure', async (_what, filesPaths, message) => {
    serve(filesPaths);
    await at.broker.connect(null);
    await expect(at.broker.masterFiles?.()).rejects.toThrow(message);
  });

  test('cannot be asked for before the login, which names the host', async () => {
    serve(all());
    await expect(at.broker.masterFiles?.()).rejects.toThrow('Not signed in');
    expect(at.stub.calls(route)).toEqual([]);
  });
});
