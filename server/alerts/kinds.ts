import type { AlertKind } from '../../contract/alerts.ts';

interface Kind {
  title: string;
  /** One sentence. */
  whatToDo: string;
  /** How its end is told; absent where it has no end. */
  over?: string;
  /** It is told once it has lasted this long. */
  holdsMs?: number;
  /** Its end is told once it has been away this long; should it come back before, it never was. */
  settlesMs?: number;
  /** While it lasts it is told again after this; absent: never. */
  remindMs?: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Every kind of alert, and what whoever reads it should do. */
export const kinds: Readonly<Record<AlertKind, Kind>> = {
  login_needed: {
    title: 'A login is needed',
    whatToDo:
      'Sign in to the broker, unless it says when that is tried again by itself: npm run login -- BROKER, then POST /broker/connect?broker=BROKER; orders are refused until then.',
    over: 'A broker session is up, or none is needed any more',
    holdsMs: 30_000,
    settlesMs: 5000,
    remindMs: 30 * MINUTE_MS,
  },
  session_lost: {
    title: 'The broker session was lost',
    whatToDo:
      'Signing in again failed and is repeated by itself, at least every five minutes; orders are refused meanwhile, so look whether broker and network are up.',
    over: 'A broker session is up again',
  },
  feed_silent: {
    title: 'The feed is silent in market hours',
    whatToDo: 'Do not rely on prices of the gateway; look whether the broker has an outage, or connect the session again.',
    over: 'The feed tells prices again, or none are due',
    settlesMs: 10_000,
    remindMs: HOUR_MS,
  },
  order_unknown: {
    title: 'The fate of an order is not known',
    whatToDo:
      'Look for it in the order book of the broker and do not place it again under a new key; npm run orders -- list shows its tag.',
    over: 'The fate of the order is known',
    remindMs: 12 * HOUR_MS,
  },
  order_rejected: {
    title: 'An order was rejected after the broker had accepted it',
    whatToDo: 'Read the reason, and place again only if the strategy still wants it.',
  },
  reconciliation: {
    title: "Our records were set to the broker's",
    whatToDo: 'Look whether somebody traded in the app of the broker; if nobody did, compare the positions with the contract note.',
  },
  kill_switch: {
    title: 'The kill switch was turned',
    whatToDo: 'If that was not you, ask who did it; GET /broker/kill-switch tells where it stands.',
  },
  database: {
    title: 'The database does not answer',
    whatToDo:
      'Orders are refused meanwhile: look at disk, memory and the PostgreSQL server; do not restart the gateway if you can help it.',
    over: 'The database answers again',
    holdsMs: 10_000,
    settlesMs: 5000,
    remindMs: 30 * MINUTE_MS,
  },
  daily_loss: {
    title: 'The loss of the day is over the limit',
    whatToDo: 'Nothing was done about it: decide yourself, close positions, or turn the kill switch on.',
    over: 'The loss of the day is well below the limit again',
    settlesMs: MINUTE_MS,
  },
  calendar_ends: {
    title: 'The trading calendar ends soon',
    whatToDo: 'Update the gateway, or name a newer calendar by CALENDAR_FILE.',
    over: 'The trading calendar was renewed',
    remindMs: 7 * 24 * HOUR_MS,
  },
  all_well: { title: 'The day', whatToDo: 'Nothing; should this line stay away one day, look whether the gateway runs.' },
  dropped: {
    title: 'Alerts were dropped',
    whatToDo: 'This channel failed for so long that the oldest alerts had to go: read tsm_events for what happened meanwhile.',
  },
  test: { title: 'A test', whatToDo: 'Nothing: somebody asked for it, and it arrived.' },
};
