import { describe } from 'vitest';
import { conformance } from './conformance.ts';
import { suite } from './fivepaisa.suite.ts';

describe('fivepaisa, as every broker', () => conformance(suite));
