import { expect, test } from 'vitest';
import { Unanswered } from '../../server/db/unanswered.ts';

test('in a queue that is answered the oldest is another one each time, one that is forgotten stays', async () => {
  const unanswered = new Unanswered();
  const asked = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const waiting = asked.map(({ promise }) => unanswered.during(promise));
  const seen = new Set<object | null>();
  for (const [index, { resolve }] of asked.slice(0, 3).entries()) {
    seen.add(unanswered.oldest());
    resolve();
    await waiting[index];
  }
  const forgotten = unanswered.oldest();
  expect(seen.size).toBe(3);
  expect(seen).not.toContain(forgotten);
  const later = unanswered.during(Promise.resolve());
  expect(unanswered.oldest()).toBe(forgotten);
  await later;
  asked[3]?.reject(new Error('lost'));
  await expect(waiting[3]).rejects.toThrow('lost');
  expect(unanswered.oldest()).toBeNull();
});
