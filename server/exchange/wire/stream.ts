import type { Instrument, Quote } from '../types.ts';
import type { OrderView, TradeView } from '../views.ts';
import type { WireReply, WireRequest } from './message.ts';

/** One message of a socket: text or bytes. */
export type Frame = string | Uint8Array;

/** What one connection can do, as its talk sees it. */
export interface Link {
  /** The handshake. */
  request: WireRequest;
  /** A planted fault makes the broker refuse this sign-in, in its own way. */
  refused: boolean;
  send(frame: Frame): void;
  /** Instruments whose prices this connection wants. The talk adds and removes. */
  wants: Set<Instrument>;
  close(code?: number): void;
}

/** One broker's words on one connection. */
export interface Talk {
  /** Once, when the socket is open. */
  opened?(): void;
  message(frame: Buffer, binary: boolean): void;
  /** Frames for instruments whose price moved, at most one call a second. */
  ticks?(moved: readonly Tick[]): Frame[];
  /** Frames for an order of the account that changed; `trade` when a fill did it. */
  order?(order: OrderView, trade: TradeView | undefined): Frame[];
  /** The connection is over, whoever ended it. */
  closed?(): void;
  /** What the broker sends by itself. */
  beat?: { everyMs: number; frame(): Frame };
}

export interface Tick {
  instrument: Instrument;
  quote: Quote;
}

/** One socket endpoint of an emulator. */
export interface Stream {
  /** Path of the handshake, without query. */
  path: string;
  /** The answer instead of a socket: a refusal, a redirect; null lets it in. */
  admit(request: WireRequest, refused: boolean): WireReply | null;
  talk(link: Link): Talk;
}
