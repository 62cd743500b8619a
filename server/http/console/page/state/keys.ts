/** A fresh key for one confirmed intent. crypto.randomUUID is missing on plain http from another machine. */
export function freshKey(): string {
  return `console-${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
