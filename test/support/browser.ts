import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

/** A Chromium of this machine; undefined where there is none. */
export const chromiumPath = installedChromium();

export interface TestBrowser {
  context: BrowserContext;
  close(): Promise<void>;
}

/** A Chromium with a profile of its own, which asks nobody anything by itself. */
export async function startBrowser(options: Parameters<typeof chromium.launchPersistentContext>[1] = {}): Promise<TestBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'test-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath ?? '',
    viewport: { width: 1280, height: 900 },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    ...options,
  });
  return {
    context,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

function installedChromium(): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  return directories
    .flatMap((directory) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(directory, name)))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
