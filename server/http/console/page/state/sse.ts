/** A message of a stream; `id` where it had a number. */
export interface Message {
  id: string | null;
  event: string;
  data: string;
}

/**
 * Reads Server-Sent Events from a body, by the WHATWG standard as far as the gateway uses it: lines end in a line feed, a comment says that it lives.
 * `onAlive` hears of every byte. Ends with the body; throws when the connection breaks.
 */
export async function readStream(
  body: ReadableStream<Uint8Array>,
  hear: { message(message: Message): void; place(id: string): void; alive(): void },
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    hear.alive();
    rest += value;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) dispatch(block, hear);
  }
}

function dispatch(block: string, hear: { message(message: Message): void; place(id: string): void }): void {
  const message: Message = { id: null, event: 'message', data: '' };
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) message.id = line.slice(4);
    else if (line.startsWith('event: ')) message.event = line.slice(7);
    else if (line.startsWith('data: ')) message.data += line.slice(6);
  }
  // The place counts at the empty line, with or without data.
  if (message.id !== null) hear.place(message.id);
  if (message.data !== '') hear.message(message);
}
