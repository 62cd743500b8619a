import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openApiDocument } from '../../server/api/openapi.ts';
import { Missing, pythonWith } from '../judges/python.ts';
import { type Fuzzed, startFuzzed } from './gateway.ts';

/**
 * `npm run fuzz -- --calls 50000 --seed 1`: calls that schemathesis makes of openapi.json, valid and invalid ones, at a real gateway in practice mode. Any answer from
 * 500 on, and any that the document does not describe, ends with 1. Where Python or PyPI is missing that is said, and is no failure unless FUZZ=required.
 */
const { values } = parseArgs({ options: { calls: { type: 'string', default: '50000' }, seed: { type: 'string', default: '1' } } });
const wanted = Number(values.calls);
const firstSeed = Number(values.seed);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'node_modules/.cache/fuzz');
const OPERATIONS = Object.values<object>(openApiDocument().paths ?? {}).flatMap((item) => Object.keys(item)).length;
/** Fuzzers at a time, each with a seed of its own. */
const FUZZERS = 2;
/** Tries of one operation in a round: what is left, but no more than the fuzzer makes without a fresh seed. */
const MOST_TRIES = 250;
const LEAST_TRIES = 5;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One run of the fuzzer; false when it found something, which it tells then. */
async function isClean(python: string, { url, token }: Fuzzed, { seed, tries, phases }: { seed: number; tries: number; phases: string }) {
  const settings = fileURLToPath(new URL('schemathesis.toml', import.meta.url));
  const run = [
    '--config-file',
    settings,
    '--no-color',
    'run',
    join(root, 'openapi.json'),
    '--url',
    url,
    '-H',
    `Authorization: Bearer ${token}`,
  ];
  const args = [...run, '--phases', phases, '-n', String(tries), '--seed', String(seed)];
  const child = spawn(join(dirname(python), 'st'), args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NO_PROXY: '*' },
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) say(output);
  return code === 0;
}

async function fuzz(python: string, fuzzed: Fuzzed): Promise<void> {
  let runs = 0;
  let clean = 0;
  while (fuzzed.calls() < wanted) {
    const left = wanted - fuzzed.calls();
    const tries = Math.min(MOST_TRIES, Math.max(LEAST_TRIES, Math.ceil(left / OPERATIONS / FUZZERS)));
    // The other phases are the same whatever the seed.
    const phasesOf = (run: number) => (run === 0 ? 'examples,coverage,fuzzing' : run === 1 ? 'fuzzing,stateful' : 'fuzzing');
    const round = Array.from({ length: FUZZERS }, (_, n) => runs + n);
    const found = await Promise.all(round.map((run) => isClean(python, fuzzed, { seed: firstSeed + run, tries, phases: phasesOf(run) })));
    clean += found.filter(Boolean).length;
    runs += FUZZERS;
    say(`${fuzzed.calls()} calls so far, ${runs - clean} of ${runs} runs with findings`);
  }
  // Locked out, all would be refused and nothing found.
  const stillIn = (await fetch(`${fuzzed.url}/broker/users`, { headers: { Authorization: `Bearer ${fuzzed.token}` } })).status === 200;
  if (!stillIn) say('UNEXPECTED: the token of the calls is not valid any more');
  const told = [...fuzzed.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  for (const failure of fuzzed.failures.slice(0, 20)) say(`UNEXPECTED: ${failure}`);
  say(
    `fuzz: seed ${firstSeed}, ${fuzzed.calls()} calls, ${fuzzed.failures.length} answers 5xx, ${runs - clean} of ${runs} runs with findings (${told.join(', ')})`,
  );
  if (fuzzed.failures.length > 0 || clean < runs || !stillIn) process.exitCode = 1;
}

mkdirSync(folder, { recursive: true });
const python = await pythonWith('fuzz').catch((error: unknown) => {
  if (!(error instanceof Missing)) throw error;
  say(`fuzz: not run, ${error.message}`);
  if (process.env.FUZZ === 'required') process.exitCode = 1;
  return null;
});
if (python !== null) {
  const began = performance.now();
  const fuzzed = await startFuzzed(randomBytes(24).toString('base64url'));
  try {
    await fuzz(python, fuzzed);
  } finally {
    await fuzzed.stop();
  }
  say(`fuzz: ${((performance.now() - began) / 1000).toFixed(0)} s`);
}
