import { expect, it } from 'vitest';
import { lateDepartures } from './late.ts';

const leads = [
  { since: 0, epoch: 1, member: 'a' },
  { since: 1000, epoch: 2, member: 'b' },
];
const wakes = [{ at: 3000, member: 'a' }];
const from = (member: string, at: number) => ({ at, member, line: 'POST /orders HTTP/1.1' });

it('tells what left a gateway that did not lead', () => {
  expect(lateDepartures([from('a', 500), from('b', 1500)], leads, wakes)).toEqual({ late: [], atTheDoor: 0 });
  expect(lateDepartures([from('a', 1500)], leads, wakes).late).toHaveLength(1);
});

it('counts one request that a woken leader had ready, and tells the next', () => {
  expect(lateDepartures([from('a', 3001)], leads, wakes)).toEqual({ late: [], atTheDoor: 1 });
  expect(lateDepartures([from('a', 3001), from('a', 3002)], leads, wakes)).toMatchObject({
    late: [expect.stringContaining('3002')],
    atTheDoor: 1,
  });
  expect(lateDepartures([from('a', 3200)], leads, wakes).late).toHaveLength(1);
});
