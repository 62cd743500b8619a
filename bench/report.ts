import { cpus, loadavg, totalmem } from 'node:os';
import { type Condition, type Lane, median, type Sample } from './measure.ts';
import type { Stand } from './stand.ts';

type Memory = ReturnType<Stand['memory']>;

export interface Results {
  rounds: number;
  conditions: readonly Condition[];
  /** By condition, then lane; one sample a round. */
  samples: readonly Record<Lane, Sample[]>[];
  replays: readonly Sample[];
  /** Orders the gateway had placed in the last part. */
  placed: number;
  emptyMemory: Memory;
  memory: Memory;
  tookMs: number;
}

const figures = { p50Ms: 'p50, ms', p99Ms: 'p99, ms', cpuMs: 'CPU per order, ms', perSecond: 'orders/s' } as const satisfies Partial<
  Record<keyof Sample, string>
>;
type Figure = keyof typeof figures;

/** The whole report as Markdown. Figures are medians over the rounds; ratios are taken within each round, their spread in brackets. */
export function report(results: Results): string {
  const { rounds, replays, placed, emptyMemory, memory, tookMs } = results;
  const replay = { p50: median(replays.map((one) => one.p50Ms)), p99: median(replays.map((one) => one.p99Ms)) };
  return `# What the gateway costs

${machine()}
Made by \`npm run bench\` in ${(tookMs / 1000).toFixed(0)} s: ${rounds} round${rounds === 1 ? '' : 's'}, in each all four ways in turn. Figures are medians over the rounds; a ratio is taken within each round, and its
lowest and highest stand in brackets. Orders are MARKET, each job begins with an empty order book, and every order is answered FILLED.

- **direct**: the three calls one order needs (positions, place, order book), made with undici by the caller itself.
- **proxy**: the same three calls behind a bare node:http server in a process of its own.
- **journal**: the same proxy, which also writes a row of four steps to the same PostgreSQL, each before what follows it: what no gateway that
  loses nothing can leave out.
- **gateway**: \`POST /broker/orders/place\` with a key, on the embedded PostgreSQL with synchronous commits.

${table(results)}
| beside it | |
|---|---|
| replay of a stored answer | p50 ${ms(replay.p50)} ms, p99 ${ms(replay.p99)} ms |
| PostgreSQL's CPU per order, one caller | ${ms(medianOf(results, 0, 'gateway', 'databaseCpuMs'))} ms |
| memory before the first order | ${memoryText(emptyMemory)} |
| memory after ${placed.toLocaleString('en')} orders | ${memoryText(memory)} |

${targets(results)}`;
}

function machine(): string {
  const [cpu] = cpus();
  const memoryGb = Math.round(totalmem() / 1024 ** 3);
  const load = loadavg().map((value) => value.toFixed(1));
  return `${new Date().toISOString().slice(0, 10)} · ${cpu?.model.trim()}, ${cpus().length} cores, ${memoryGb} GB · ${process.platform}, Node ${process.versions.node} · load average at the end ${load.join(', ')}
`;
}

function table(results: Results): string {
  const before = results.samples[0]?.before.length ? (['before'] as const) : [];
  const rows = results.conditions.flatMap(({ callers, delayMs, everyMs }, index) =>
    Object.entries(figures).map(([name, words]) => {
      const figure = name as Figure;
      const values = (['direct', 'proxy', 'journal', 'gateway', ...before] as const).map((lane) =>
        ms(medianOf(results, index, lane, figure)),
      );
      const ratios = (['direct', 'proxy', 'journal', ...before] as const).map((lane) => ratioText(ratiosOf(results, index, lane, figure)));
      return `| ${callers}${everyMs ? `, one order every ${everyMs} ms` : ''} | ${delayMs} ms | ${words} | ${[...values, ...ratios].join(' | ')} |\n`;
    }),
  );
  const more = (name: string) => before.map(() => ` ${name} |`).join('');
  return `| callers | upstream delay | | direct | proxy | journal | gateway |${more('before')} gateway / direct | gateway / proxy | gateway / journal |${more('gateway / before')}
|---|---|---|---|---|---|---|---|---|---|${more('---').repeat(2)}
${rows.join('')}`;
}

function targets(results: Results): string {
  const { gateway, database } = results.memory;
  const total = gateway + database.shared;
  const row = (what: string, limit: number, value: number, unit: string) =>
    `| ${what} | ${limit}${unit} | ${ms(value)}${unit} | ${value <= limit ? 'met' : 'missed'} |\n`;
  const at = (callers: number, delayMs: number, paced = false) =>
    results.conditions.findIndex((one) => one.callers === callers && one.delayMs === delayMs && one.everyMs > 0 === paced);
  const beside = (lane: Lane, condition: number) => median(ratiosOf(results, condition, lane, 'p50Ms'));
  const cpu = (condition: number) => medianOf(results, condition, 'gateway', 'cpuMs');
  const rows = [
    row('p50 beside direct calls, one order every 500 ms, 20 ms', 1.1, beside('direct', at(1, 20, true)), ' times'),
    row('p50 beside direct calls, one caller, 20 ms', 1.06, beside('direct', at(1, 20)), ' times'),
    row('p50 beside the journal, one caller, 0 ms', 1, beside('journal', at(1, 0)), ' times'),
    row('p50 beside direct calls, 16 callers, 0 ms', 1, beside('direct', at(16, 0)), ' times'),
    row('p50 beside direct calls, 16 callers, 20 ms', 1, beside('direct', at(16, 20)), ' times'),
    row('CPU of the gateway per order, one caller, 0 ms', 1.5, cpu(at(1, 0)), ' ms'),
    row('CPU of the gateway per order, 16 callers, 0 ms', 1.2, cpu(at(16, 0)), ' ms'),
  ];
  return `| target | at most | measured | |
|---|---|---|---|
${rows.join('')}${row(`memory of gateway and database after ${results.placed.toLocaleString('en')} orders`, 200, total, ' MB')}
${idleText(results)}`;
}

/** What the same work costs more when everybody sleeps between its steps: caches are cold then, and on a virtual machine each waking up is dear. */
function idleText(results: Results): string {
  const alone = (delay: number) => results.conditions.findIndex(({ callers, delayMs }) => callers === 1 && delayMs === delay);
  const times = (lane: Lane) => (medianOf(results, alone(20), lane, 'cpuMs') / medianOf(results, alone(0), lane, 'cpuMs')).toFixed(1);
  return `One caller at 20 ms leaves the machine asleep between any two steps. There the same work costs the proxy ${times('proxy')} times the CPU it costs without
the delay, direct calls ${times('direct')} times, the journal ${times('journal')} times, the gateway ${times('gateway')} times.
What does nothing but keep a journal costs ${ms(medianOf(results, alone(20), 'journal', 'cpuMs'))} ms there.
`;
}

function medianOf({ samples }: Results, condition: number, lane: Lane, figure: keyof Sample): number {
  return median((samples[condition]?.[lane] ?? []).map((sample) => sample[figure]));
}

/** Gateway over another lane, round by round. */
function ratiosOf({ samples }: Results, condition: number, lane: Lane, figure: Figure): number[] {
  const others = samples[condition]?.[lane] ?? [];
  return (samples[condition]?.gateway ?? []).map((sample, round) => sample[figure] / (others[round]?.[figure] ?? Number.NaN));
}

function ratioText(ratios: readonly number[]): string {
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`;
}

function ms(value: number): string {
  return value.toFixed(value < 100 ? 2 : 0);
}

function memoryText({ gateway, database }: Memory): string {
  const { shared, each } = database;
  const mb = (value: number) => `${value.toFixed(0)} MB`;
  return `gateway ${mb(gateway)} + PostgreSQL ${mb(shared)} = ${mb(gateway + shared)} (PostgreSQL's shared pages counted for each of its processes: ${mb(each)})`;
}
