/** Longest line before a payload; the server's greeting is the longest. */
const LONGEST_LINE = 8192;
/** Groww's payloads are some hundred bytes. */
const LARGEST_PAYLOAD = 65_536;
const CRLF = '\r\n';
const [CR, LF] = [13, 10];

/** What a NATS server says (https://docs.nats.io/reference/reference-protocols/nats-protocol). */
export interface NatsHears {
  /** The greeting's JSON. */
  info(text: string): void;
  message(subject: string, sid: number, payload: Uint8Array): void;
  ping(): void;
  pong(): void;
  error(text: string): void;
}

/**
 * Reads the NATS text protocol out of the frames of a socket. A message may span frames, so what is not whole yet is kept, never more than one
 * message. After bytes that are no message it goes on with the next frame, where one usually begins.
 */
export class NatsReader {
  #rest: Buffer = Buffer.alloc(0);

  take(frame: Uint8Array, hears: NatsHears): void {
    const fresh = Buffer.from(frame.buffer, frame.byteOffset, frame.length);
    const spans = this.#rest.length > 0;
    const whole = this.#read(spans ? Buffer.concat([this.#rest, fresh]) : fresh, hears);
    if (spans && whole === 0) this.#read(fresh, hears);
  }

  /** Reads what is whole and keeps what is begun. Returns how many messages came before bytes that are none; null when there were no such bytes. */
  #read(bytes: Buffer, hears: NatsHears): number | null {
    this.#rest = Buffer.alloc(0);
    for (let at = 0, count = 0; at < bytes.length; count += 1) {
      const lineEnd = bytes.indexOf(CRLF, at);
      const length = (lineEnd < 0 ? bytes.length : lineEnd) - at;
      if (length > LONGEST_LINE) return count;
      const next = lineEnd < 0 ? at : message(bytes, at, lineEnd, hears);
      if (next === null) return count;
      if (next === at) {
        this.#rest = Buffer.from(bytes.subarray(at));
        return null;
      }
      at = next;
    }
    return null;
  }
}

/** Says the message that begins at `at`. Returns where the next one begins, `at` when this one is not whole yet, null when it is none. */
function message(bytes: Buffer, at: number, lineEnd: number, hears: NatsHears): number | null {
  const line = bytes.toString('utf8', at, lineEnd);
  const next = lineEnd + CRLF.length;
  const delivery = /^MSG[ \t]+(\S+)[ \t]+(\d{1,9})[ \t]+(?:\S+[ \t]+)?(\d{1,9})$/.exec(line);
  if (delivery) {
    const [, subject = '', sid, size] = delivery;
    const end = next + Number(size);
    if (Number(size) > LARGEST_PAYLOAD) return null;
    if (end + CRLF.length > bytes.length) return at;
    if (bytes[end] !== CR || bytes[end + 1] !== LF) return null;
    hears.message(subject, Number(sid), bytes.subarray(next, end));
    return end + CRLF.length;
  }
  if (line.startsWith('INFO ')) hears.info(line.slice('INFO '.length));
  else if (line === 'PING') hears.ping();
  else if (line === 'PONG') hears.pong();
  else if (line.startsWith('-ERR')) hears.error(line.slice('-ERR'.length).trim().replaceAll("'", ''));
  else if (line !== '+OK') return null;
  return next;
}
