import { signal } from '@preact/signals';

const NAME = 'gateway-token';

/** The API token of this tab; null when nobody is signed in. Another tab has its own, and it is gone with the tab. */
export const token = signal<string | null>(sessionStorage.getItem(NAME));

/** Why somebody has to sign in again; null when there is nothing to say. */
export const signInReason = signal<string | null>(null);

export function keepToken(given: string): void {
  sessionStorage.setItem(NAME, given);
  signInReason.value = null;
  token.value = given;
}

/** Forgets the token. The reason stands on the sign-in page. */
export function dropToken(reason: string | null): void {
  sessionStorage.removeItem(NAME);
  signInReason.value = reason;
  token.value = null;
}
