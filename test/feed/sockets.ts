import { openSocket } from './emulator-socket.ts';

/** What an emulator's socket did with some frames: what it said, and its close code or the HTTP status of a refused handshake; null while it is open. */
export interface Talked {
  frames: (string | Buffer)[];
  ended: number | null;
}

/** Speaks to a socket by hand, without any adapter, until all that was said is answered. */
export async function talkTo(url: string, said: readonly (string | Uint8Array)[], headers: Record<string, string> = {}): Promise<Talked> {
  const { socket, frames, ended: over, settled, close } = await openSocket(url, headers);
  const ended = over.then(({ status, code }) => status ?? code ?? 0);
  if (socket.readyState !== socket.OPEN) return { frames, ended: await ended };
  for (const frame of said) socket.send(frame);
  const talked = { frames, ended: await Promise.race([ended, settled().then(() => null)]) };
  close();
  return talked;
}
