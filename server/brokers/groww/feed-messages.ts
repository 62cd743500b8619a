import type { FeedSink, FrameQuote, WireKey } from '../feed.ts';
import { ProtoReader } from '../protobuf.ts';

/** Field numbers of StocksSocketResponseProtoDto: a share or contract, or an index. All values are doubles, prices rupees. */
const RESPONSE = { live: 4, index: 6 } as const;
const LIVE = { time: 1, price: 13 } as const;
const INDEX = { time: 1, price: 2 } as const;
/** Of OrderDetailsBroadCastDto. */
const BROADCAST = { order: 2 } as const;
const ORDER = { id: 7 } as const;

/** Reads one message of a price subject, whose instrument the subject names. */
export function decodePrice(payload: Uint8Array, key: WireKey, sink: FeedSink): void {
  const response = ProtoReader.of(payload);
  while (response.next()) {
    if (response.field === RESPONSE.live) live(response.message(), key, sink);
    if (response.field === RESPONSE.index) say(response.message(), INDEX, key, sink);
  }
}

/** By field number: what a share or contract is told of beside its price. The best prices come in messages of their own. */
const LIVE_MEMBERS: readonly (keyof FrameQuote | null)[] = [null, null, 'open', 'high', 'low', 'close', 'volume'];

function live(quote: ProtoReader | null, key: WireKey, sink: FeedSink): void {
  const told: FrameQuote = {};
  let rupees = 0;
  let at = 0;
  while (quote?.next()) {
    const member = LIVE_MEMBERS[quote.field] ?? null;
    if (quote.field === LIVE.price) rupees = quote.double() ?? 0;
    else if (quote.field === LIVE.time) at = quote.double() ?? 0;
    else if (member) {
      const value = quote.double() ?? Number.NaN;
      if (Number.isFinite(value) && value >= 0) told[member] = value;
    }
  }
  if (!(rupees > 0 && Number.isFinite(rupees))) return;
  sink.price(key, rupees, Number.isSafeInteger(at) && at > 0 ? at : null);
  sink.quote?.(key, told);
}

function say(quote: ProtoReader | null, fields: { time: number; price: number }, key: WireKey, sink: FeedSink): void {
  let rupees = 0;
  let at = 0;
  while (quote?.next()) {
    if (quote.field === fields.price) rupees = quote.double() ?? 0;
    if (quote.field === fields.time) at = quote.double() ?? 0;
  }
  if (rupees > 0 && Number.isFinite(rupees)) sink.price(key, rupees, Number.isSafeInteger(at) && at > 0 ? at : null);
}

/** Reads one message of an order subject: which order changed, by the id our rows have. */
export function decodeOrder(payload: Uint8Array, sink: FeedSink): void {
  const broadcast = ProtoReader.of(payload);
  let id: string | null = null;
  while (broadcast.next()) {
    const order = broadcast.field === BROADCAST.order ? broadcast.message() : null;
    while (order?.next()) if (order.field === ORDER.id) id = order.text() || null;
  }
  sink.order(id);
}
