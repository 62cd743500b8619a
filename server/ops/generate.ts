import { writeFileSync } from 'node:fs';
import { metricsPage } from './metrics-page.ts';

writeFileSync(new URL('../../docs/operations/metrics.md', import.meta.url), metricsPage());
