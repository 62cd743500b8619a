import { setPriority } from 'node:os';
import { systemClock } from '../clock.ts';
import { backup } from './backup.ts';
import { runCommand } from './command.ts';
import { backupText } from './words.ts';

const usage = `Usage: npm run backup -- FILE
  Writes a backup of the gateway's database to a new file, while the gateway runs or not. Settings as those of the gateway.`;

/** Orders go first. */
const POLITE = 10;

await runCommand(usage, async ({ file, where }) => {
  setPriority(POLITE);
  const began = systemClock.mono();
  const { bytes } = await backup(file, where());
  return backupText(file, bytes, (systemClock.mono() - began) / 1000);
});
