/** One message of a socket: text or bytes. */
export type Frame = string | Uint8Array;

/** An instrument as this broker's orders and rows name it: our exchange word, the broker's symbol and token. */
export interface FeedInstrument {
  exchange: string;
  symbol: string;
  /** Empty where neither order nor position told one. */
  token: string;
}

/** How an instrument is named on the wire of one feed. */
export type WireKey = string | number;

/** What a frame tells beside the last price: rupees, 0 where nobody bids or asks; volume in the broker's own unit. Members a frame does not carry are absent. */
export interface FrameQuote {
  bid?: number;
  ask?: number;
  open?: number;
  high?: number;
  low?: number;
  /** The day before's. */
  close?: number;
  volume?: number;
}

/** Hears what the frames of a socket say. */
export interface FeedSink {
  /** The broker took the sign-in: subscriptions may go out. */
  ready(): void;
  /** The broker refused the sign-in, in its own words. */
  refused(reason: string): void;
  /** A last traded price: rupees, and its time at the exchange (epoch ms, UTC; null when the frame has none). */
  price(key: WireKey, rupees: number, at: number | null): void;
  /** What a frame tells beside the last price, after it. The object may be another's at the next call: it is read at once. */
  quote?(key: WireKey, quote: FrameQuote): void;
  /** Something happened to an order: it is time to read it. Null when the frame does not say which one. */
  order(orderId: string | null): void;
  /** A frame the protocol wants answered with this one. */
  reply(frame: Frame): void;
}

/** The talk of one connection. Made anew for each, so that what it remembers of the wire dies with the socket. */
export interface FeedTalk {
  /** Frames to send as soon as the socket is open. */
  hello: readonly Frame[];
  /** The broker answers the sign-in: nothing is subscribed before `ready`. Otherwise the open socket is ready. */
  awaitsReady: boolean;
  /** Frames that subscribe, in as many pieces as the broker's limits want. */
  subscribe(keys: readonly WireKey[]): Frame[];
  unsubscribe(keys: readonly WireKey[]): Frame[];
  /** Reads one frame, whatever it holds: never throws, and keeps nothing that grows with the bytes it is given. */
  decode(frame: Frame, sink: FeedSink): void;
  /** The connection is over, or was never made. */
  ended?(): void;
}

/** Where and how to connect. */
export interface FeedOpening {
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Redirects on the way are followed, the headers sent again. */
  followRedirects?: boolean;
  localAddress: string | undefined;
  talk: FeedTalk;
}

/** The broker has no such feed for this account: asking again would not change that. */
export class NotOffered extends Error {}

/** One socket of a broker's feed. It is opened, kept alive and rebuilt by feed/; the adapter says what is particular. */
export interface Channel {
  /** For the log. */
  name: string;
  prices: boolean;
  orders: boolean;
  /** Sent while open: what the broker wants to hear so that it keeps the socket. */
  heartbeat?: { everyMs: number; frame: Frame };
  /** In market hours, with something subscribed, a socket without a frame this long is dead: longer than the broker's own heartbeat. ms. */
  silenceMs: number;
  /** Most instruments on one connection. */
  mostInstruments: number;
  /** The instrument's name on this wire; null when this feed does not carry it. */
  key(instrument: FeedInstrument): WireKey | null;
  /** A fresh address with the newest token; may ask the broker for one. Rejects when there is none, with NotOffered when the account has none at all. */
  open(): Promise<FeedOpening>;
}
