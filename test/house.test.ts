import { describe, expect, it } from 'vitest';
import { circleRule } from './house/circles.ts';
import { roomRules } from './house/rooms.ts';
import { sizeRules } from './house/size.ts';
import { sources } from './house/source.ts';
import { wordRules } from './house/words.ts';

describe('the house', () => {
  const files = sources();

  it('is read whole', () => {
    expect(files.map((file) => file.path)).toEqual(
      expect.arrayContaining(['contract/index.ts', 'server/http/app.ts', 'test/house.test.ts']),
    );
  });

  for (const rule of [...roomRules, circleRule, ...sizeRules, ...wordRules]) {
    it(rule.name, () => {
      expect(rule.breaches(files)).toEqual([]);
    });

    it(`bites: ${rule.name}`, () => {
      for (const bad of rule.bad) expect(rule.breaches(bad), bad[0]?.text.slice(0, 80)).not.toEqual([]);
    });
  }
});
