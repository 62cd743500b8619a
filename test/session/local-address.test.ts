import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { brokerIds } from '../../contract/words.ts';
import { ConfigError, readConfig } from '../../server/config/config.ts';

const ours = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .flatMap(({ address, family }) => (family === 'IPv4' ? [address] : []));

/** What the start says to a local address; null when it takes it. */
function refusal(name: string, address: string): string | null {
  try {
    readConfig({ [name]: address });
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
}

test.each(brokerIds)('%s: the local address is one of this machine', (id) => {
  const name = `${id.toUpperCase()}_LOCAL_ADDRESS`;
  for (const address of [...ours, '127.0.0.1', '127.0.0.9', ' 127.0.0.1 '])
    expect(readConfig({ [name]: address }).broker[id].localAddress).toBe(address.trim());
  expect(readConfig({ [name]: ' ' }).broker[id].localAddress).toBeUndefined();
  expect(readConfig({}).broker[id].localAddress).toBeUndefined();
});

// Addresses for documents, which no machine has.
test.each(['203.0.113.9', '198.51.100.1'])('an IPv4 address of another machine is refused by name: %s', (address) => {
  const said = refusal('KOTAK_LOCAL_ADDRESS', address);
  expect(said).toMatch(new RegExp(`^KOTAK_LOCAL_ADDRESS: ${address} is not an address of this machine; this machine has `));
  for (const one of ours) expect(said).toContain(one);
});

test.each(['::1', 'localhost', '127.0.0.1:80', '127.1', '0x7f.0.0.1', '10.0.0.256', 'eth0'])(
  '%s is refused as no IPv4 address',
  (address) => {
    const said = refusal('DHAN_LOCAL_ADDRESS', address);
    expect(said).toMatch(/^DHAN_LOCAL_ADDRESS: .* is not an IPv4 address; this machine has /);
    for (const one of ours) expect(said).toContain(one);
  },
);
