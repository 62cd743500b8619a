import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from './error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the service of docs/operations.md keeps its settings. */
export const SERVICE_FILE = '/etc/broker-gateway.env';

/** Which gateway is meant: with one of these a person has said it. */
const places = ['GATEWAY_MODE', 'DATA_DIR', 'DATABASE_URL'];

/** Reads `.env` if present; the environment wins over the file. */
export function loadEnvironment(directory = process.cwd()): Environment {
  return { ...(readFile(resolve(directory, '.env')) ?? {}), ...process.env };
}

/**
 * The same for commands beside a gateway (user, orders, login, certify, backup). Where neither names a gateway, the one that runs as a
 * service on this machine is meant, and its settings are taken. Throws ConfigError where they may not be read.
 */
export function loadCommandEnvironment(serviceFile = SERVICE_FILE, directory = process.cwd()): Environment {
  const here = loadEnvironment(directory);
  if (places.some((name) => here[name]?.trim())) return here;
  return { ...(readFile(serviceFile) ?? {}), ...here };
}

function readFile(file: string): Environment | null {
  if (!existsSync(file)) return null;
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    throw new ConfigError(`${file}: holds the settings of a gateway and this user may not read it; run the command as root (sudo)`);
  }
}
