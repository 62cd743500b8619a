import { registerHooks } from 'node:module';

/* The examples import the SDK as its users do, by the name of its package: here that is the one of this repository. */
const sdk = new URL('../../sdk/index.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) => (specifier === 'broker-gateway-sdk' ? { url: sdk, shortCircuit: true } : next(specifier, context)),
});
