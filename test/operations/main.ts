import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { startReceiver } from '../alerts/receiver.ts';
import { Missing, pythonWith } from '../judges/python.ts';
import { type Block, blocksOf, type Command, commandsOf, files, like, page, reasonOf } from './page.ts';
import { bash, checkOut, type Running, repository, startCommand, startIn } from './place.ts';

/**
 * `npm run operations`: docs/operations.md followed word by word in a clean checkout, block by block, and what the page says about the answers checked. Where port 5000 is taken
 * another one stands in its place, and backups go into the checkout instead of /backups. Exits 1 at what is not as the page says.
 */
const home = mkdtempSync(join(tmpdir(), 'gateway-operations-'));
const wrong: string[] = [];
const say = (line: string) => process.stdout.write(`${line}\n`);
/** Notes what does not hold. */
function must(holds: boolean, words: string): void {
  if (!holds) wrong.push(words);
}

const [port, opsPort] = await Promise.all([free(5000), free(5090)]);
const spelled = (text: string) => text.replaceAll('localhost:5000', `localhost:${port}`).replaceAll('/backups/', `${home}/backups/`);
const call = [...readFileSync(join(repository, 'README.md'), 'utf8').matchAll(/^(TOKEN=.*|call\(\) .*)$/gm)]
  .map(([line]) => line)
  .join('\n');
const checkout = checkOut(join(home, 'gateway'));
const other = checkOut(join(home, 'another-machine'));
const receiver = await startReceiver();
const blocks = blocksOf(page);
mkdirSync(join(home, 'backups'));

/** The secret as the page's own command makes it. */
async function webhookSecret(): Promise<string> {
  const [, command] = /(echo "whsec_[^`|]+?)(?=`| \|)/.exec(page) ?? [];
  return (await bash(command?.trim() ?? 'false', checkout)).out;
}

const ports = { ...(port !== 5000 && { PORT: String(port) }), ...(opsPort !== 5090 && { OPS_PORT: String(opsPort) }) };
const alerts = { ALERT_WEBHOOK_URL: receiver.env.ALERT_WEBHOOK_URL ?? '', ALERT_WEBHOOK_SECRET: await webhookSecret() };

async function follow({ command, remark }: Command): Promise<void> {
  const folder = remark.startsWith('on another machine') ? other : checkout;
  const ended = await bash(spelled(`${command.startsWith('call ') ? `${call}\n` : ''}${command}`), folder);
  say(`$ ${command}\n${ended.all.replace(/^/gm, '  ')}`);
  must(ended.code === 0, `${command}: ended with ${ended.code}: ${ended.all}`);
  if (!remark.startsWith('{')) return;
  must(like(JSON.parse(remark), JSON.parse(ended.out)), `${command}: the page shows ${remark}, it answered ${ended.out}`);
}

async function checkFile(block: Block): Promise<void> {
  if (block.language === 'ini') verifyUnit(block);
  else await containerFile(block);
}

/** The unit as systemd reads it; only the place of the program is ours. */
function verifyUnit({ text }: Block): void {
  const unit = join(home, 'broker-gateway.service');
  writeFileSync(unit, text.replaceAll('/opt/broker-gateway', checkout));
  const { error, status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  if (error) {
    say('the unit: not verified, there is no systemd-analyze');
    return;
  }
  const about = stderr.split('\n').filter((line) => line.includes('broker-gateway'));
  must(status === 0 && about.length === 0, `systemd-analyze verify: ${status} ${about.join('; ')}`);
  say('the unit: verified by systemd-analyze');
}

/** The container file: linted, its files alone start a gateway by its command, and built where a builder runs. */
async function containerFile({ text }: Block): Promise<void> {
  const copied = [...text.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
  const app = checkOut(join(home, 'app'), copied);
  writeFileSync(join(app, 'Dockerfile'), `${text}\n`);
  await lint(join(app, 'Dockerfile'));
  const command = z.array(z.string()).parse(JSON.parse(/^CMD (.*)$/m.exec(text)?.[1] ?? '[]'));
  must(command.join() === startCommand().join(), `CMD ${command.join(' ')} is not what npm start runs`);
  const gateway = await startIn(app, command, { DATA_DIR: join(home, 'volume'), PORT: String(await free(0)), OPS_PORT: '0' });
  const url = /Address +(\S+)/.exec(gateway.screen())?.[1] ?? '';
  for (const path of ['/', '/console', '/docs', '/openapi.json']) {
    const { status } = await fetch(url + path);
    must(status === 200, `a container answers ${path} with ${status}`);
  }
  await ends(gateway, 'a container');
  say(`the container: ${copied.join(', ')} start a gateway`);
  build(app);
}

async function lint(file: string): Promise<void> {
  try {
    const hadolint = join(dirname(await pythonWith('operations')), 'hadolint');
    const { status, stdout } = spawnSync(hadolint, ['--no-color', file], { encoding: 'utf8' });
    must(status === 0, `hadolint: ${stdout}`);
    say('the container file: linted by hadolint');
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    say(`the container file: not linted, ${error.message}`);
  }
}

function build(app: string): void {
  const builder = ['docker', 'podman'].find((name) => spawnSync(name, ['info'], { timeout: 10_000 }).status === 0);
  if (!builder) {
    say('the container: not built, neither docker nor podman runs here');
    return;
  }
  rmSync(join(app, 'node_modules'));
  const { status, stderr } = spawnSync(builder, ['build', '--tag', 'broker-gateway-page', app], { encoding: 'utf8' });
  must(status === 0, `${builder} build: ${stderr.slice(-2000)}`);
  say(`the container: built by ${builder}`);
}

async function ends(gateway: Running, who: string): Promise<void> {
  const { code, ms } = await gateway.end('SIGTERM');
  must(code === 0 && ms < 2500, `${who} ended with ${code} after ${Math.round(ms)} ms; the page says 0, within 2 s`);
}

/** What the page says outside of its blocks. */
async function said(gateway: Running): Promise<void> {
  const get = async (address: string) => await (await fetch(`http://localhost:${address}`)).text();
  const [, ready] = /`(\{"status": "ready"[^`]*)`/.exec(page) ?? [];
  const answered = await get(`${opsPort}/readyz`);
  must(like(JSON.parse(ready ?? 'null'), JSON.parse(answered)), `/readyz: the page shows ${ready}, it answered ${answered}`);
  must((await fetch(`http://localhost:${opsPort}/healthz`)).status === 200, '/healthz is not 200');
  must((await get(`${opsPort}/metrics`)).includes('gateway_status'), '/metrics holds no figures');
  const [, names = ''] = /`GET \/` needs no user: `\{([^}]*)\}`/.exec(page) ?? [];
  const root = Object.keys(JSON.parse(await get(`${port}/`)));
  must(JSON.stringify(root) === `[${names.replaceAll(', ', ',')}]`, `GET / has ${root}, the page says ${names}`);
  const on = async () => (await bash(spelled(`${call}\ncall localhost:5000/broker/kill-switch`), checkout)).out.includes('"on":true');
  const before = await on();
  gateway.child.kill('SIGUSR2');
  for (const until = Date.now() + 5000; (await on()) === before && Date.now() < until; )
    await new Promise((resolve) => setTimeout(resolve, 50));
  must((await on()) !== before, 'SIGUSR2 does not turn the kill switch');
  const lives = [...page.matchAll(/^\| `([^`]+)`(?:, `([^`]+)`)?.*\|.*\|.*\|$/gm)]
    .flatMap(([, one, two]) => [one, two])
    .map((name) => name?.replace('/', ''));
  for (const name of readdirSync(join(checkout, 'data')))
    must(lives.includes(name), `DATA_DIR holds ${name}, of which the page knows nothing`);
  for (const name of ['key', 'token']) must((statSync(join(checkout, 'data', name)).mode & 0o777) === 0o600, `${name} has not mode 0600`);
}

/** A restored gateway's kill switch is on, and no caller's order grows anything. */
async function restored(): Promise<void> {
  const gateway = await startIn(other, startCommand(), { PORT: String(await free(0)), OPS_PORT: '0' });
  must(/Kill switch +ON/.test(gateway.screen()), 'the kill switch is not on after a restore');
  await ends(gateway, 'a restored gateway');
}

/** The port the page names, or one that is free. */
function free(wanted: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(free(0)));
    probe.listen(wanted, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

try {
  say(
    `${blocks.length} blocks, in ${execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: repository, encoding: 'utf8' }).trim()}, port ${port}`,
  );
  must(page.includes(`\`npm start\` runs \`${startCommand().join(' ')}\``), 'the page does not say what npm start runs');
  const gateway = await startIn(checkout, startCommand(), { ...ports, ...alerts });
  for (const block of blocks) {
    const reason = reasonOf(block);
    if (reason) say(`- ${block.text.split('\n')[0]?.slice(0, 60)}: not run, ${reason}`);
    else if (files.includes(block.language)) await checkFile(block);
    else for (const one of commandsOf(block)) await follow(one);
  }
  must(receiver.requests > 0, 'the test alert did not arrive');
  await said(gateway);
  await ends(gateway, 'the gateway');
  await restored();
} finally {
  await receiver.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
for (const one of wrong) say(`WRONG: ${one}`);
say(`operations: ${wrong.length} things are not as the page says`);
process.exit(wrong.length > 0 ? 1 : 0);
