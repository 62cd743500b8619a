import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Random, systemClock, within } from '../../server/clock.ts';
import { descendants } from '../../server/db/embedded/descendants.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';
import type { Kind, Orders } from './kinds.ts';
import type { Asked, Door } from './orders.ts';
import type { Stand } from './stand.ts';

const atPoint = fileURLToPath(new URL('./gateway-at-point.ts', import.meta.url));

/** One broker, one database, one exchange, and gateways that die on them one after the other. */
export interface Scene {
  stand: Stand;
  random: Random;
  /** What the keys of the history begin with. */
  name: string;
  asked: Asked[];
  gateway: GatewayProcess | null;
  /** What the running gateway was told. */
  running: string;
  /** The cycle under way. */
  kind: Kind;
  /** Gateways that ended though nobody killed them: in which cycle, and their last words. */
  died: { kind: Kind; words: string }[];
  /** What grew after the kill switch had answered, exits that were kept in, and what left late. */
  misled: { kind: Kind; what: 'grew' | 'keptIn' | 'late'; words: string }[];
  /** The wall clock of its gateways before true time, ms. */
  aheadMs: number;
}

/** A gateway that was told `told` runs: the one there is, or a new one in its place. */
export async function ready(scene: Scene, told: Orders): Promise<void> {
  const plain = !told.point && !told.aheadMs && !told.jumpMs;
  const running = plain ? 'plain' : JSON.stringify(told);
  noteDeath(scene);
  if (scene.gateway && !isDead(scene.gateway) && scene.running === running) return;
  await scene.gateway?.killTree();
  mkdirSync(scene.stand.env.DATA_DIR ?? '', { recursive: true });
  scene.gateway = await startProcess(scene.stand.env, plain ? undefined : [atPoint, running]);
  scene.running = running;
}

/** Where the running gateway answers. */
export function doorOf({ gateway }: Scene): Door {
  if (!gateway) throw new Error('no gateway runs');
  return { url: gateway.url, token: gateway.token, gone: () => isDead(gateway) };
}

/** kill -9 of the gateway and what it started, unless it has died by itself. */
export async function killGateway(scene: Scene): Promise<void> {
  await scene.gateway?.killTree();
  scene.gateway = null;
}

/** Resolves when the gateway is dead, or after `ms`. */
export async function untilDead({ gateway }: Scene, ms: number): Promise<boolean> {
  if (!gateway || isDead(gateway)) return true;
  return (await within(systemClock, ms, once(gateway.child, 'exit'))) !== null;
}

/** Whoever kills a gateway forgets it: one that is still here and dead has died by itself. */
export function noteDeath(scene: Scene): void {
  const { gateway, kind } = scene;
  if (!gateway || !isDead(gateway)) return;
  scene.died.push({ kind, words: gateway.errors().slice(-2000) });
  scene.gateway = null;
}

/** What the running gateway printed last, and what the processes below it wait for. */
export function lastWords({ gateway }: Scene): string {
  if (!gateway) return 'no gateway runs';
  const below = descendants(gateway.child.pid ?? 0).map(
    (pid) => `${pid} ${ofProcess(pid, 'wchan')} ${ofProcess(pid, 'cmdline').slice(0, 60)}`,
  );
  return `below the gateway: ${below.join(', ')}; it said: ${gateway.errors().slice(-4000)}`;
}

function ofProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

function isDead({ child }: GatewayProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
