import type { OwnFault } from './verdict.ts';

/** What the SDKs of requirements.txt get wrong by themselves, whoever answers. A fault that no longer shows fails the run. */
export const ownFaults: readonly OwnFault[] = [];
