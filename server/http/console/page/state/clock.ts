import { signal } from '@preact/signals';

const BEAT_MS = 1000;
const beat = signal(Date.now());

/** How far this machine's clock is behind the gateway's, ms; ages are told by the gateway's. */
let behindMs = 0;
setInterval(() => {
  if (!document.hidden) beat.value = Date.now();
}, BEAT_MS);
document.addEventListener('visibilitychange', () => {
  beat.value = Date.now();
});

/** Now by the gateway's clock, ms since 1970; whatever reads it is drawn anew every second. */
export function ticking(): number {
  return beat.value + behindMs;
}

/** Now by the gateway's clock, ms since 1970. */
export function gatewayNow(): number {
  return Date.now() + behindMs;
}

/** Learns the gateway's clock from an answer that names its time; a short way there makes it exact. */
export function setClock(at: string, askedAt: number): void {
  const answeredAt = Date.now();
  const time = Date.parse(at);
  if (Number.isFinite(time)) behindMs = time - (askedAt + answeredAt) / 2;
}
