import { describe, expect, it } from 'vitest';
import { History } from './history.ts';

const HISTORIES = 2000;

describe('the guard and a model of its table', () => {
  it(`answer alike, and as the venue's truth allows, in ${HISTORIES} random histories`, { timeout: 60_000 }, () => {
    let [questions, passed] = [0, 0];
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const outcome = new History(seed).run();
      questions += outcome.questions;
      passed += outcome.passed;
      expect(outcome.fault, `replay: npm run guard -- --histories 1 --from ${seed} --log`).toBeNull();
    }
    // They ask, and the guard agrees by no blanket word.
    expect(questions).toBeGreaterThan(10 * HISTORIES);
    expect(passed / questions).toBeGreaterThan(0.25);
    expect(passed / questions).toBeLessThan(0.75);
  });
  it('plays a history back from its seed', () => {
    for (const seed of [2, 71, 1979]) {
      const [first, second] = [new History(seed, true), new History(seed, true)];
      first.run();
      second.run();
      expect(second.log).toEqual(first.log);
      expect(first.log.length).toBeGreaterThan(10);
    }
  });
});
