import '../../server/fast-imports.js';

const { loadEnvironment, readConfig } = await import('../../server/config/config.ts');
const { createContext } = await import('../../server/context.ts');
const { firstScreen } = await import('../../server/first-screen.ts');
const { listen } = await import('../../server/http/listen.ts');
const { createLog } = await import('../../server/log.ts');

/* The real gateway, wired as server/start.ts wires it, whose instruments NSE:S1, NSE:S2, ... have the tokens 257, 513, ... of the stand-in ticker. */

const config = readConfig(loadEnvironment());
const find = async (name: string) => {
  const token = String(256 * Number(name.slice(5)) + 1);
  return { exchange: 'NSE', symbol: name.slice(4), token, instrument: name, listed: true };
};
const context = await createContext(config, createLog(config.logLevel, false), { find });
const listening = await listen(context.app, config);
await context.autoConnect();
process.stdout.write(firstScreen(config, context, listening.port));
