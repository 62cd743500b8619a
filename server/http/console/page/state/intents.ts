import { type Signal, signal } from '@preact/signals';
import { type Answer, ask, NoAnswer } from './api.ts';
import { freshKey } from './keys.ts';
import { token } from './token.ts';

/** place: an order. exit: a way out of positions. */
export type IntentKind = 'place' | 'exit';

/**
 * sending: it was sent and no answer came yet. asking: the answer was lost, and the page asks what became of it. answered: told by the gateway.
 * unsent: the gateway does not know its key, so nothing was placed. silent: nobody answers any more, and a person has to decide.
 */
export type IntentState = { is: 'sending' | 'asking' | 'unsent' | 'silent' } | { is: 'answered'; answer: Answer };

/** Something a person has confirmed, once: it keeps its key however often it is asked for. */
export interface Intent {
  key: string;
  kind: IntentKind;
  /** BUY 10 SBIN. */
  title: string;
  body: object;
  state: Signal<IntentState>;
}

const paths: Readonly<Record<IntentKind, string>> = { place: '/broker/orders/place', exit: '/broker/exits' };
const STORE = 'gateway-intents';
const ANSWER_MS = 60_000;
const PAUSE_MS = 1000;
/** So long after it was confirmed an exit is sent again by itself; an order never is. */
const RESEND_MS = 30_000;

/** Those whose answer is outstanding, or whose end a person has not seen yet. Kept with the tab: a reload forgets none. */
export const intents = signal<readonly Intent[]>(kept());

/** Sends what a person has confirmed. Call it once for each confirmation. */
export function begin(kind: IntentKind, title: string, order: object): Intent {
  const key = freshKey();
  const intent: Intent = { key, kind, title, body: { ...order, idempotency_key: key }, state: signal<IntentState>({ is: 'sending' }) };
  intents.value = [...intents.value, intent];
  keep();
  void settle(intent, performance.now(), true);
  return intent;
}

/** Sends one that never arrived, or whose answer is still missing, with its own key: had it arrived after all, its answer is replayed. */
export function sendAgain(intent: Intent): void {
  intent.state.value = { is: 'sending' };
  void settle(intent, performance.now(), true);
}

/** A person has seen what became of it. */
export function forget(intent: Intent): void {
  intents.value = intents.value.filter((one) => one !== intent);
  keep();
}

/** Asks after those whose answer was outstanding when the page was left. Nothing is sent. */
export function resumeIntents(): void {
  for (const intent of intents.value) {
    if (intent.kind === 'place') void settle(intent, 0, false);
    else intent.state.value = { is: 'silent' };
  }
}

async function settle(intent: Intent, from: number, first: boolean): Promise<void> {
  let send = first;
  for (;;) {
    const state = await attempt(intent, send);
    if (state) {
      intent.state.value = state;
      return;
    }
    // An order that a person confirmed is sent while he looks at it, or not at all: from here on only its fate is asked for.
    send = intent.kind === 'exit';
    if (send && performance.now() - from > RESEND_MS) {
      intent.state.value = { is: 'silent' };
      return;
    }
    intent.state.value = { is: 'asking' };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** What is known after one more request; null when it has to be asked again. */
async function attempt({ kind, body }: Intent, send: boolean): Promise<IntentState | null> {
  if (token.value === null) return null;
  try {
    const headers = send ? {} : { 'Idempotency-Replay-Only': 'true' };
    const answer = await ask(paths[kind], { method: 'POST', body, headers, timeoutMs: ANSWER_MS });
    if (!send && answer.headers.get('Idempotency-Key-Known') === 'false') return { is: 'unsent' };
    // Not looked at: nobody could be asked who this is, the twin is still under way, or the token is gone.
    if ([401, 409, 429, 503].includes(answer.status)) return null;
    return { is: 'answered', answer };
  } catch (error) {
    if (error instanceof NoAnswer) return null;
    throw error;
  }
}

function keep(): void {
  const rows = intents.value.map(({ key, kind, title, body }) => ({ key, kind, title, body }));
  if (rows.length === 0) sessionStorage.removeItem(STORE);
  else sessionStorage.setItem(STORE, JSON.stringify(rows));
}

function kept(): Intent[] {
  try {
    const rows = JSON.parse(sessionStorage.getItem(STORE) ?? '[]') as Omit<Intent, 'state'>[];
    return rows.map((row) => ({ ...row, state: signal<IntentState>({ is: 'asking' }) }));
  } catch {
    return [];
  }
}
