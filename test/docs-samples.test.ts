import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openApiDocument } from '../server/api/openapi.ts';
import { startGateway, type TestGateway } from './support/gateway.ts';

/** The samples of openapi.json and the programs of the guides, as processes of their own, against the real gateway in practice mode. */
const sdkHere = fileURLToPath(new URL('examples/sdk-here.mjs', import.meta.url));
const guides = new URL('../docs/guides/', import.meta.url);

/** Samples whose example is of a thing that is not there, or that end what the others need. */
const left =
  /^(getOrder|modifyOrder|cancelOrder|getInstrument|connectBroker|disconnectBroker|testBroker|.*Login|.*User|setKillSwitch|testAlerts)$/;

interface Program {
  name: string;
  source: string;
}

let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'samples-'));
  gateway = await startGateway({ env: { BROKERS: 'zerodha', POSITION_GUARD: 'off' }, instruments: true });
  await vi.waitUntil(async () => (await gateway.call('GET', '/broker/instruments?limit=1')).body.success, { timeout: 30_000 });
}, 60_000);
afterAll(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs all of them in one process of their language, one after the other; what each printed, by name. */
async function run(
  extension: string,
  programs: readonly Program[],
  command: string,
  args: readonly string[],
): Promise<Map<string, string>> {
  const files = await Promise.all(
    programs.map(async ({ name, source }) => {
      const file = join(folder, `${name}.${extension}`);
      await writeFile(file, source);
      return file;
    }),
  );
  const child = spawn(command, [...args, ...files], { env: { ...process.env, GATEWAY_URL: gateway.url, GATEWAY_TOKEN: gateway.token } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (part) => {
    out += part;
  });
  child.stderr.on('data', (part) => {
    err += part;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code, `${out}${err}`).toBe(0);
  return new Map(
    out
      .split('@@')
      .slice(1)
      .map((part, index) => [programs[index]?.name ?? '', part]),
  );
}

const inTypeScript = (programs: readonly Program[]) =>
  run('ts', programs, process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--import',
    sdkHere,
    '--input-type=module',
    '-e',
    "for (const file of process.argv.slice(1)) { console.log('@@'); await import(file); }",
  ]);
const inPython = (programs: readonly Program[]) =>
  run('py', programs, 'python3', ['-c', 'import runpy, sys\nfor file in sys.argv[1:]:\n  print("@@", flush=True)\n  runpy.run_path(file)']);

const inShell = (programs: readonly Program[]) => run('sh', programs, 'bash', ['-ec', 'for file; do echo "@@"; bash "$file"; done', 'all']);

function samplesIn(language: string): Program[] {
  const operations = Object.values(openApiDocument().paths ?? {}).flatMap(({ get, post }) => [get ?? [], post ?? []].flat());
  return operations.flatMap((operation) => {
    const samples = (operation as { 'x-codeSamples'?: { lang: string; source: string }[] })['x-codeSamples'] ?? [];
    const source = samples.find(({ lang }) => lang === language)?.source;
    return source && operation.operationId && !left.test(operation.operationId) ? { name: operation.operationId, source } : [];
  });
}

async function guidePrograms(language: string): Promise<Program[]> {
  const files = (await readdir(guides)).filter((file) => file.endsWith('.md'));
  const texts = await Promise.all(files.map(async (file) => ({ name: file, text: await readFile(new URL(file, guides), 'utf8') })));
  return texts.flatMap(({ name, text }) =>
    [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, source = ''], index) => ({
      name: `${name.slice(0, -3)}-${index}`,
      source,
    })),
  );
}

it('runs every sample of curl', { timeout: 60_000 }, async () => {
  const programs = samplesIn('Shell').filter(({ name }) => name !== 'followStream');
  const told = await inShell(programs);
  for (const [name, text] of told) {
    const answer = JSON.parse(text);
    expect(Array.isArray(answer) || answer.success !== false, `${name}: ${text}`).toBe(true);
  }
  expect(JSON.parse(told.get('placeOrder') ?? '')).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
  expect(JSON.parse(told.get('getQuotes') ?? '').quotes).toHaveLength(2);
});

it('runs every sample of Python', { timeout: 60_000 }, async () => {
  const told = await inPython(samplesIn('Python'));
  for (const [name, text] of told) expect(text, name).not.toContain("'success': False");
  expect(told.get('placeOrder')).toContain("'fill_status': 'FILLED'");
  expect(told.get('followStream')).toContain('data:');
});

it('runs every sample of TypeScript', { timeout: 60_000 }, async () => {
  const told = await inTypeScript(samplesIn('TypeScript'));
  for (const [name, text] of told) expect(text, name).not.toContain('success: false');
  expect(told.get('placeOrder')).toMatch(/FILLED 10 \d/);
  expect(told.get('getQuotes')).toMatch(/NSE:SBIN \d/);
  expect(told.get('followStream')).toContain('tick');
});

it('runs the programs of the guides', { timeout: 60_000 }, async () => {
  const told = await inTypeScript(await guidePrograms('ts'));
  expect(told.get('first-order-0')).toMatch(/bought 10 at \d/);
  expect(told.get('idempotency-0')).toContain('true true');
  expect(told.get('unknown-answers-0')).toContain('FILLED');
  const leaving = await inPython(await guidePrograms('python'));
  expect(leaving.get('exits-0')).toContain('FILLED 10');
});

it('exits what was placed, in each language', { timeout: 60_000 }, async () => {
  const only = (language: string) => samplesIn(language).filter(({ name }) => ['placeOrder', 'exitPositions'].includes(name));
  const runs = { Shell: inShell, Python: inPython, TypeScript: inTypeScript } as const;
  for (const [language, run] of Object.entries(runs)) {
    const told = await run(only(language).sort(({ name }) => (name === 'placeOrder' ? -1 : 1)));
    expect(told.get('exitPositions'), language).toMatch(/NSE:SBIN[\s\S]*FLAT|FLAT[\s\S]*NSE:SBIN/);
    const { body } = await gateway.call('GET', '/broker/exits');
    expect(body.positions, language).toEqual([]);
  }
});
