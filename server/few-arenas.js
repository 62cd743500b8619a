/**
 * Import this before anything else. glibc gives each thread a pool of memory of its own, eight times as many as there are cores, and each keeps for good the most
 * that its thread ever needed at one time: over hours that is memory nobody uses. How many there are glibc reads once, when a program starts; so the process becomes the
 * same program once more, under the same number and with the same three files, some 20 ms later. Whoever has set MALLOC_ARENA_MAX is left alone.
 */
const ARENAS = '2';
const { env, execArgv, execPath, argv, platform } = process;
// Below `node --watch` a channel to the parent would be lost on the way.
const mayChange = platform === 'linux' && typeof process.execve === 'function' && process.send === undefined;
if (mayChange && env.MALLOC_ARENA_MAX === undefined)
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, MALLOC_ARENA_MAX: ARENAS });
