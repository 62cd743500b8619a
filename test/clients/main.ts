import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Missing, pythonWith } from '../judges/python.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';

/**
 * `npm run clients`: makes a Python and a Go client of openapi.json with the generators people use, and places orders with them at a real gateway in
 * practice mode. Each must take each answer for the class it is; exits 1 otherwise. A language that is missing is said, and is no failure unless CLIENTS=required.
 */
const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const cache = join(root, 'node_modules/.cache/clients');
const document = join(root, 'openapi.json');
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const STEP_MS = 240_000;

/** What both clients must say of the answers. */
const expected: Readonly<Record<string, string>> = {
  root: 'GatewayStatus',
  funds: 'Funds',
  filled: 'OrderAccepted FILLED 10',
  blocked: 'OrderRefused REJECTED BLOCKED',
  rejected: 'OrderRefused REJECTED',
  invalid: 'RequestError',
};

type Call = (gateway: GatewayProcess) => Promise<string>;

/** Makes a client; what it gives calls the gateway with it. Rejects with Missing where there is nothing to make it with. */
const languages: Readonly<Record<string, () => Promise<Call>>> = {
  async Python() {
    const python = await pythonWith('clients');
    const folder = fresh('python');
    const target = join(folder, 'gateway_client');
    const PATH = `${dirname(python)}:${process.env.PATH}`;
    const generate = ['-m', 'openapi_python_client', 'generate', '--meta', 'none', '--path', document, '--output-path', target];
    await run(python, generate, { timeout: STEP_MS, env: { ...process.env, PATH } });
    return async (gateway) => (await run(python, [join(here, 'client.py'), folder], { timeout: STEP_MS, env: envOf(gateway) })).stdout;
  },
  async Go() {
    await run('go', ['version']).catch(() => missing('there is no Go'));
    const folder = fresh('go');
    cpSync(join(here, 'go'), folder, { recursive: true });
    mkdirSync(join(folder, 'gateway'));
    const bin = join(cache, 'bin');
    const install = run('go', ['install', OAPI_CODEGEN], { timeout: STEP_MS, env: { ...process.env, GOBIN: bin } });
    await install.catch((error: Error) => missing(`oapi-codegen cannot be installed: ${error.message}`));
    await run(join(bin, 'oapi-codegen'), ['-config', 'oapi-codegen.yaml', document], { timeout: STEP_MS, cwd: folder });
    await run('go', ['build', '-o', 'client', '.'], { timeout: STEP_MS, cwd: folder });
    return async (gateway) => (await run(join(folder, 'client'), { timeout: STEP_MS, env: envOf(gateway) })).stdout;
  },
};

function missing(why: string): never {
  throw new Missing(why);
}

/** An empty folder of the cache. */
function fresh(name: string): string {
  const folder = join(cache, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

function envOf({ url, token }: GatewayProcess) {
  return { ...process.env, GATEWAY_URL: url, GATEWAY_TOKEN: token, NO_PROXY: '*', PYTHONDONTWRITEBYTECODE: '1' };
}

/** What a language's client got wrong; null where the language is missing. */
async function hear(language: string, make: () => Promise<Call>, gateway: GatewayProcess): Promise<string[] | null> {
  const began = performance.now();
  try {
    const call = await make();
    const made = seconds(began);
    const said: unknown = JSON.parse(await call(gateway));
    const told = new Map(Object.entries(typeof said === 'object' && said !== null ? said : {}));
    const wrong = Object.entries(expected).filter(([name, words]) => told.get(name) !== words);
    say(
      `${language}: ${told.size} answers, ${told.size - wrong.length} of the right class (made in ${made} s, called in ${seconds(began, made)} s)`,
    );
    return wrong.map(([name, words]) => `${language}, ${name}: ${told.get(name)} instead of ${words}`);
  } catch (error) {
    if (!(error instanceof Missing)) return [`${language}: ${error instanceof Error ? error.message : String(error)}`];
    say(`${language}: not run, ${error.message}`);
    return null;
  }
}

function seconds(began: number, less = '0'): string {
  return ((performance.now() - began) / 1000 - Number(less)).toFixed(1);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const began = performance.now();
const dataDir = mkdtempSync(join(tmpdir(), 'gateway-clients-'));
const gateway = await startProcess({ DATA_DIR: dataDir });
try {
  const heard = [];
  for (const [language, make] of Object.entries(languages)) heard.push(await hear(language, make, gateway));
  for (const surprise of heard.flatMap((wrong) => wrong ?? [])) say(`UNEXPECTED: ${surprise}`);
  const isMissing = heard.includes(null) && process.env.CLIENTS === 'required';
  if (isMissing || heard.some((wrong) => wrong !== null && wrong.length > 0)) process.exitCode = 1;
} finally {
  await gateway.killTree();
  rmSync(dataDir, { recursive: true, force: true });
}
say(`clients: ${Object.keys(languages).length} languages in ${seconds(began)} s`);
