import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createGateway } from '../../sdk/index.ts';
import { type GatewayForSdk, startGatewayForSdk } from './start-gateway.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'gateway-strategy-'));
const packed = z.array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })).length(1);

let files: string[];
let gateway: GatewayForSdk;

/** The SDK is built, packed and installed without a network into an empty strict project, as a user of the package has it. */
beforeAll(async () => {
  const sdk = join(repository, 'sdk');
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', project], { cwd: sdk });
  const [tarball] = packed.parse(JSON.parse(stdout));
  files = tarball?.files.map(({ path }) => path) ?? [];
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'strategy', private: true, type: 'module' }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball?.filename}`], { cwd: project });
  mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(join(repository, 'node_modules', name), join(project, 'node_modules', name));
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    outDir: 'out',
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['strategy.ts', 'readme.ts'] }));
  gateway = await startGatewayForSdk();
  const headers = { Authorization: `Bearer ${gateway.token}` };
  const listed = async () =>
    z.object({ success: z.boolean() }).parse(await (await fetch(`${gateway.baseUrl}/broker/instruments?limit=1`, { headers })).json())
      .success;
  await vi.waitUntil(listed, { timeout: 30_000 });
});

afterAll(async () => {
  await gateway?.close();
  rmSync(project, { recursive: true, force: true });
});

test('the package holds its build, README, CHANGELOG and LICENSE, and needs nothing', () => {
  const top = files.filter((path) => !path.startsWith('dist/'));
  expect(top.toSorted()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
  expect(files.filter((path) => !/\.(js|d\.ts)$/.test(path) && path.startsWith('dist/'))).toEqual([]);
  const installed = JSON.parse(readFileSync(join(project, 'node_modules/broker-gateway-sdk/package.json'), 'utf8'));
  expect(Object.keys(installed)).not.toContain('dependencies');
});

test("its version is the gateway's, its changelog tells of it, and its README names every call", () => {
  const read = (path: string) => readFileSync(join(repository, path), 'utf8');
  const [{ version }, own] = [JSON.parse(read('package.json')), JSON.parse(read('sdk/package.json'))];
  expect(own.version).toBe(version);
  expect(read('sdk/CHANGELOG.md')).toContain(`## [${version}]`);
  expect(read('sdk/README.md')).toContain(`broker-gateway-sdk-${version}.tgz`);
  const calls = Object.keys(createGateway({ baseUrl: 'http://127.0.0.1:1', token: 'none' }));
  expect(calls.length).toBeGreaterThan(30);
  expect(calls.filter((call) => !new RegExp(`\\b${call}\\b`).test(read('sdk/README.md')))).toEqual([]);
});

test('a strategy and the README type-check and run against a gateway', async () => {
  const strategy = readFileSync(new URL('./strategy.ts', import.meta.url), 'utf8');
  const readme = readFileSync(join(repository, 'sdk/README.md'), 'utf8');
  const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  expect(examples.length).toBeGreaterThan(0);
  writeFileSync(join(project, 'strategy.ts'), strategy.replace('../../sdk/index.ts', 'broker-gateway-sdk'));
  writeFileSync(join(project, 'readme.ts'), examples.join('\n'));
  await run(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-p', project]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
  const env = { PATH: process.env.PATH, GATEWAY_URL: gateway.baseUrl, GATEWAY_TOKEN: gateway.token };
  const output = async (name: string) => (await run(process.execPath, [join(project, `out/${name}.js`)], { env })).stdout;
  // One after the other: both trade in one symbol.
  const traded = await output('strategy');
  const shown = await output('readme');
  expect(JSON.parse(traded)).toEqual({
    fill: 'FILLED',
    same: true,
    open: 0,
    net: 10,
    settled: true,
    never: null,
    brokers: 10,
    incomplete: 'invalid',
    wrong: 'invalid',
    stranger: 'unauthenticated',
  });
  expect(shown).toMatch(/^order \d+: FILLED, 10 at [\d.]+\n$/);
});
