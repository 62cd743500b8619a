import { runCommand } from './command.ts';
import { verifyBackup } from './file.ts';
import { restore } from './restore.ts';
import { checkText, restoreText } from './words.ts';

const usage = `Usage: npm run restore -- [--check] FILE
  Makes the gateway's database from a backup, where there is none yet, with the kill switch on. Settings as those of the gateway.
  --check  only reads the file and says whether it is as it was written`;

await runCommand(usage, async ({ file, check, where }) => {
  if (check) return checkText(file, (await verifyBackup(file)).bytes);
  const { header, totals } = await restore(file, where());
  return restoreText(header, totals);
});
