import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `npm run check`: everything a machine can say of the repository without running it. Works offline, changes nothing. */
const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = join(root, 'test/.tmp/generated');
const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** What went wrong, or nothing. */
type Step = () => string;

const steps: Record<string, Step> = {
  types: () => run(['typescript-7/bin/tsc', '-p', '.', '--noEmit']),
  // The console's page runs in a browser: it knows the DOM, and no Node.
  page: () => run(['typescript-7/bin/tsc', '-p', 'server/http/console', '--noEmit']),
  style: () => run(['@biomejs/biome/bin/biome', 'ci', '--colors=off', '--error-on-warnings', '.']),
  generated: checkGenerated,
  document: () => run(['@redocly/cli/bin/cli.js', 'lint', 'openapi.json', '--config', 'test/redocly.yaml']),
};

/** Runs a tool of node_modules with this very Node. */
function run([tool = '', ...args]: string[], cwd = root): string {
  return node([join(root, 'node_modules', tool), ...args], cwd);
}

function node(args: string[], cwd = root): string {
  const { status, error, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env: { ...process.env, ...quiet } });
  return status === 0 ? '' : `${error ?? ''}${stdout}${stderr}`.trim() || `ended with ${status}`;
}

/** Generates openapi.json and sdk/generated anew beside the tree and compares. */
function checkGenerated(): string {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(join(scratch, 'sdk'), { recursive: true });
  try {
    cpSync(join(root, 'sdk/openapi-ts.config.ts'), join(scratch, 'sdk/openapi-ts.config.ts'));
    const failure =
      node([join(root, 'server/api/generate.ts'), join(scratch, 'openapi.json')]) ||
      run(['@hey-api/openapi-ts/bin/run.js', '-f', 'sdk/openapi-ts.config.ts', '-s', '--no-log-file'], scratch);
    return failure || differences().join('\n');
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function differences(): string[] {
  const listed = [root, scratch].flatMap((base) => ['openapi.json', ...filesUnder(base, 'sdk/generated')]);
  return [...new Set(listed)]
    .filter((name) => textOf(root, name) !== textOf(scratch, name))
    .map((name) => `${name} is not what npm run generate makes`);
}

function filesUnder(base: string, folder: string): string[] {
  return readdirSync(join(base, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(base, '/').length));
}

function textOf(base: string, name: string): string | undefined {
  try {
    return readFileSync(join(base, name), 'utf8');
  } catch {
    return undefined;
  }
}

for (const [name, step] of Object.entries(steps)) {
  const start = performance.now();
  const failure = step();
  const took = `${((performance.now() - start) / 1000).toFixed(1)} s`;
  console.log(failure ? `${name}: FAILED (${took})\n${failure}` : `${name}: ok (${took})`);
  if (failure) process.exitCode = 1;
}
