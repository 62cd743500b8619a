import { type AccountBook, bookTrade, newBook } from './book.ts';
import { openLedger, type PlacingRequest } from './ledger.ts';
import { type AccountTraits, type BrokerId, type ExchangeOrder, isFinal, type Trade } from './types.ts';

export interface RecordsOptions {
  /** Path of the ledger; kept in memory alone when absent. */
  ledgerFile?: string | undefined;
  traits?: Partial<Record<BrokerId, AccountTraits>> | undefined;
}

/** All the exchange remembers: the accounts, the placing requests, the login tokens. A change is on disk when its call returns. */
export interface Records {
  /** The book of an account; an empty one is opened for a broker never heard of. */
  bookOf(broker: BrokerId): AccountBook;
  books(): readonly AccountBook[];
  readonly requests: readonly PlacingRequest[];
  /** Keeps the new state of an order, with the trade that made it, and returns that with its id. */
  keepOrder(order: ExchangeOrder, made?: Omit<Trade, 'tradeId'>): Trade | undefined;
  keepRequest(request: PlacingRequest): void;
  /** Epoch ms. */
  keepToken(broker: BrokerId, token: string, validUntil: number): void;
  tokenValidUntil(broker: BrokerId, token: string): number | undefined;
  /** A number of 19 digits, larger than any before it: the time (epoch ms) above 20 bits of a count. */
  nextSerial(now: number): string;
  close(): void;
}

const FIRST_TRADE = 10_000_001;
const plainTraits: AccountTraits = { refusedInBook: [], orderId: (serial) => serial };

/** Opens the ledger and reads what it holds. */
export function openRecords(options: RecordsOptions): Records {
  const books = new Map<BrokerId, AccountBook>();
  const requests: PlacingRequest[] = [];
  const tokens = new Map<string, number>();
  let lastSerial = 0n;
  let orders = 0;
  let trades = 0;

  const ledger = openLedger(options.ledgerFile, (record) => {
    if (record.kind === 'order') remember(record.order, record.trade);
    if (record.kind === 'request') requests.push(record.request);
    if (record.kind === 'token') tokens.set(`${record.broker}:${record.token}`, record.validUntil);
  });

  function bookOf(broker: BrokerId): AccountBook {
    const book = books.get(broker) ?? newBook(broker, options.traits?.[broker] ?? plainTraits);
    books.set(broker, book);
    return book;
  }

  function remember(order: ExchangeOrder, trade: Trade | undefined): void {
    const book = bookOf(order.account);
    if (!book.orders.has(order.orderId)) orders += 1;
    book.orders.set(order.orderId, order);
    if (isFinal(order)) book.live.delete(order.orderId);
    else book.live.set(order.orderId, order);
    if (BigInt(order.serial) > lastSerial) lastSerial = BigInt(order.serial);
    if (!trade) return;
    trades += 1;
    bookTrade(book, trade);
  }

  return {
    bookOf,
    books: () => [...books.values()],
    requests,
    keepOrder(order, made) {
      const trade = made && { ...made, tradeId: String(FIRST_TRADE + trades) };
      ledger.append({ kind: 'order', order, trade });
      remember(order, trade);
      return trade;
    },
    keepRequest(request) {
      ledger.append({ kind: 'request', request });
      requests.push(request);
    },
    keepToken(broker, token, validUntil) {
      ledger.append({ kind: 'token', broker, token, validUntil });
      tokens.set(`${broker}:${token}`, validUntil);
    },
    tokenValidUntil: (broker, token) => tokens.get(`${broker}:${token}`),
    nextSerial(now) {
      const fromTime = (BigInt(Math.floor(now)) << 20n) + BigInt(orders & 0xf_ffff);
      lastSerial = fromTime > lastSerial ? fromTime : lastSerial + 1n;
      return String(lastSerial);
    },
    close: () => ledger.close(),
  };
}
