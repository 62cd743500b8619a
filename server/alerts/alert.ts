import type { AlertKind, AlertState } from '../../contract/alerts.ts';
import { kinds } from './kinds.ts';

/** One alert as it is sent: the JSON body of the webhook, member for member. */
export interface Alert {
  /** The same on every channel and at every repetition: what a receiver has seen it may leave aside. */
  id: string;
  kind: AlertKind;
  state: AlertState;
  /** When it was told first, UTC. */
  at: string;
  mode: 'practice' | 'live';
  title: string;
  /** Lines for a person; no secrets, no accounts. */
  message: string;
  /** How many of its kind were gathered into this one. */
  count: number;
  what_to_do: string;
}

/** What is to be told, before it has an id. */
export interface News {
  kind: AlertKind;
  state: AlertState;
  message: string;
}

/** Lines of an alert that gathers many. */
const MOST_LINES = 10;
const MOST_CHARACTERS = 600;

/** An alert of one piece of news, at an instant (epoch ms). */
export function alertOf({ kind, state, message }: News, id: string, mode: Alert['mode'], at: number): Alert {
  const { title, whatToDo, over } = kinds[kind];
  const heading = state === 'over' ? `Over: ${over ?? title}` : state === 'reminder' ? `Still so: ${title}` : title;
  return { id, kind, state, at: new Date(at).toISOString(), mode, title: heading, message: plain(message), count: 1, what_to_do: whatToDo };
}

/** The alert with one more piece of news in it. */
export function gathered(alert: Alert, message: string): Alert {
  const count = alert.count + 1;
  const line = count <= MOST_LINES ? `\n${plain(message)}` : count === MOST_LINES + 1 ? '\nand more' : '';
  return { ...alert, count, message: alert.message + line };
}

/** For a person to read on a phone. */
export function textOf({ mode, title, message, count, what_to_do }: Alert): string {
  const heading = `${mode === 'practice' ? '[practice] ' : ''}${title}${count > 1 ? ` (${count} times)` : ''}`;
  return `${heading}\n${message}\n\n${what_to_do}`;
}

/** One line: brokers send line ends, control characters and more than anybody reads. */
function plain(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}...` : line;
}
