import type { Listing, OrderRow, Redactor } from './broker.ts';
import type { Channel, FeedSink, FeedTalk } from './feed.ts';

export const HIDDEN = '[hidden]';
/** A shorter value stands in too many words that are no secret. */
const LEAST_LENGTH = 4;
/** Texts whose discreet form is remembered: the same reasons stand in the rows of every order book. */
const MOST_KNOWN = 500;
const LONGEST_KNOWN = 500;
/** Members of settings and logins that are no secret: who it is, addresses, and choices. */
const open = /^(USER|CLIENT|ACCOUNT)(_?(ID|CODE))?$|^UCC$|UR[IL]$|_PRODUCT$|_PROTECTION$/i;

export function createRedactor(credentials: Readonly<Record<string, string | undefined>>): Redactor {
  const secrets = new Set<string>();
  let pattern: RegExp | null = null;
  const known = new Map<string, string>();

  function learn(login: unknown): void {
    const members: [string, unknown][] = typeof login === 'object' && login !== null ? Object.entries(login) : [['', login]];
    for (const [name, value] of members) {
      if (typeof value !== 'string' || open.test(name)) continue;
      for (const form of formsOf(value.trim())) secrets.add(form);
      pattern = null;
      known.clear();
    }
  }

  learn(credentials);
  return {
    learn,
    hide(text) {
      const before = known.get(text);
      if (before !== undefined) return before;
      pattern ??= patternOf(secrets);
      const hidden = text.replace(pattern, HIDDEN);
      if (known.size >= MOST_KNOWN) known.clear();
      if (text.length <= LONGEST_KNOWN) known.set(text, hidden);
      return hidden;
    },
  };
}

/** The ways a value may come back: as it is, without the gaps people type, as a part of an address or a form, in base64. */
function formsOf(value: string): string[] {
  const joined = value.replaceAll(/[\s-]/g, '');
  return [value, joined].flatMap((plain) => {
    if (plain.length < LEAST_LENGTH) return [];
    const base64 = Buffer.from(plain).toString('base64');
    const forms = [plain, base64, base64.replace(/=+$/, ''), Buffer.from(plain).toString('base64url')];
    return [...forms, ...forms.map(encodeURIComponent), new URLSearchParams({ '': plain }).toString().slice(1)];
  });
}

/** The longest first, for one may stand inside another; in either case, as percent-encoding has both. */
function patternOf(secrets: ReadonlySet<string>): RegExp {
  const longest = [...secrets].toSorted((one, other) => other.length - one.length);
  const texts = longest.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&'));
  return texts.length > 0 ? new RegExp(texts.join('|'), 'gi') : /(?!)/g;
}

/** The channel with what its broker says to a refused sign-in made fit to be told. */
export function discreet(channel: Channel, redactor: Redactor): Channel {
  return {
    ...channel,
    async open() {
      const opening = await channel.open();
      return { ...opening, talk: discreetTalk(opening.talk, redactor) };
    },
  };
}

function discreetTalk(talk: FeedTalk, redactor: Redactor): FeedTalk {
  // A connection has one sink: frames come too often to make another for each.
  let made: { sink: FeedSink; telling: FeedSink } | null = null;
  return {
    ...talk,
    decode(frame, sink) {
      if (made?.sink !== sink) made = { sink, telling: { ...sink, refused: (reason) => sink.refused(redactor.hide(reason)) } };
      talk.decode(frame, made.telling);
    },
  };
}

/** The order book with what the broker says of its orders made fit to be told; the broker's own rows stay as they came. */
export function discreetOrders(list: Listing<OrderRow>, redactor: Redactor): Listing<OrderRow> {
  if (!list.success) return list;
  const told = list.normalized.map((row) => {
    const status_message = row.status_message && redactor.hide(row.status_message);
    return status_message === row.status_message ? row : { ...row, status_message };
  });
  return { ...list, normalized: told };
}
