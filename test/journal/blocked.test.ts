import { expect, it } from 'vitest';
import { isBlocked } from '../../server/journal/journal.ts';

it.each([
  ['{"success":false,"status":"BLOCKED"}', true],
  ['{"success":false,"status":"PENDING"}', false],
  ['{"success":false}', false],
  ['"BLOCKED"', false],
  ['null', false],
  ['', false],
  ['{"status":"BLOCKED"', false],
  [null, false],
])('an answer of %s is one of the position guard: %s', (response, blocked) => {
  expect(isBlocked({ response })).toBe(blocked);
});
