import { createUser, type KeyPair } from '@nats-io/nkeys';

/** An ed25519 key pair as NATS users prove themselves with (https://docs.nats.io, nkeys). */
export interface Nkey {
  /** The public key as NATS writes it. */
  publicText: string;
  /** The signature of a server's nonce, base64url without padding. */
  sign(nonce: string): string;
}

/** A pair of a seed that nobody else has. */
export function createNkey(): Nkey {
  return nkeyOf(createUser());
}

export function nkeyOf(pair: KeyPair): Nkey {
  return {
    publicText: pair.getPublicKey(),
    sign: (nonce) => Buffer.from(pair.sign(Buffer.from(nonce))).toString('base64url'),
  };
}
