import { z } from 'zod';
import { brokerIds } from '../../../contract/words.ts';
import { seededRandom } from '../../clock.ts';
import { type BrokerId, type Effects, FillPlan } from '../types.ts';

export const operations = [
  'login',
  'profile',
  'funds',
  'holdings',
  'positions',
  'orders',
  'trades',
  'place',
  'modify',
  'cancel',
  'market',
] as const;
/** What a route of an emulator does; `orders` covers single orders and histories too, `market` quotes and instruments. */
export type Operation = (typeof operations)[number];

/** Kinds that decide how a request is answered, with the operations they can strike where that is not all. At most one strikes a request. */
const answering = {
  /** The connection is destroyed; the engine never sees the request. */
  lostRequest: null,
  /** Never reaches the engine and is never answered. */
  hangBefore: null,
  status5xxBefore: null,
  rateLimited: null,
  sessionExpired: null,
  unregisteredAddress: ['place', 'modify', 'cancel'],
  /** The engine acts; then the connection is reset without a byte of answer. */
  resetAfterAccept: null,
  hangAfterAccept: null,
  statusAfterAccept: null,
  /** The engine acts; then the broker's own 4xx that says the order may exist. */
  timeoutTextAfterAccept: null,
  garbageAfterAccept: null,
  emptyAfterAccept: null,
  /** The engine acts; then headers and half the body. */
  resetInBody: null,
} as const satisfies Record<string, readonly Operation[] | null>;

/** Kinds that change what happens and leave the answer alone. All of them can strike one request. */
const changing = {
  delay: null,
  lateVisibility: ['place'],
  partialFills: ['place'],
  rejectByRisk: ['place'],
  laggingPositions: ['positions'],
} as const satisfies Record<string, readonly Operation[] | null>;

/** Kinds that strike the sockets of an emulator: one handshake, or one frame that is news. */
const streaming = {
  /** The sign-in is refused as that of a dead login. */
  streamRefused: 'handshake',
  /** From this frame on nothing is sent and nothing read, and the socket stays open. */
  streamSilence: 'frame',
  streamDrop: 'frame',
  /** The frame comes `delayMs` later, after others. */
  streamLate: 'frame',
  streamDuplicate: 'frame',
  /** The frame comes after the next one. */
  streamReorder: 'frame',
  /** Only the first half of the frame comes. */
  streamHalfFrame: 'frame',
  /** The connection ends in the middle of the frame. */
  streamCloseInFrame: 'frame',
} as const satisfies Record<string, 'handshake' | 'frame'>;
type StreamKind = keyof typeof streaming;

const reach: Readonly<Record<string, readonly Operation[] | null>> = { ...answering, ...changing };

const common = {
  operation: z.enum([...operations, 'any']).default('any'),
  /** Strikes this broker's emulator alone. */
  broker: z.enum(brokerIds).optional(),
  /** How often it strikes: once unless said, without end with a probability. */
  times: z.union([z.int().min(1), z.literal('always')]).optional(),
  probability: z.number().min(0).max(1).optional(),
  /** Waits before the request reaches the engine. */
  delayMs: z.number().min(0).default(0),
  /** Waits after the engine acted, before the answer. */
  afterMs: z.number().min(0).default(0),
};

/** A fault as a test or the control port plants it. */
export const FaultSpec = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.enum(['delay', 'lostRequest', 'hangBefore', 'rateLimited', 'sessionExpired', 'rejectByRisk']) }),
  z.object({ ...common, kind: z.enum(['resetAfterAccept', 'hangAfterAccept', 'timeoutTextAfterAccept', 'garbageAfterAccept']) }),
  z.object({ ...common, kind: z.enum(['emptyAfterAccept', 'resetInBody']) }),
  z.object({ ...common, kind: z.literal('status5xxBefore'), status: z.int().min(500).max(599).default(503) }),
  z.object({ ...common, kind: z.literal('statusAfterAccept'), status: z.int().min(300).max(599).default(502) }),
  z.object({ ...common, kind: z.literal('unregisteredAddress'), address: z.string().default('203.0.113.5') }),
  z.object({ ...common, kind: z.literal('lateVisibility'), visibleAfterMs: z.number().min(0) }),
  z.object({ ...common, kind: z.literal('partialFills'), plan: FillPlan }),
  z.object({ ...common, kind: z.literal('laggingPositions'), lagMs: z.number().min(0) }),
  z.object({ ...common, kind: z.enum(Object.keys(streaming) as [StreamKind, ...StreamKind[]]) }),
]);
export type Fault = z.output<typeof FaultSpec>;
export type FaultKind = Fault['kind'];
export type StreamFault = Extract<Fault, { kind: StreamKind }>;

/** A planted fault; `struck` counts what it has hit so far. */
export interface PlantedFault {
  readonly fault: Fault;
  struck: number;
}

/** What strikes one request. */
export interface Strike {
  /** The fault that decides the answer. */
  answer: Fault | null;
  effects: Effects;
  delayMs: number;
  afterMs: number;
  /** Kinds that struck, for logs and the ledger. */
  kinds: FaultKind[];
}

export interface Faults {
  /** Plants a fault; throws a ZodError for one that makes no sense. */
  plant(spec: z.input<typeof FaultSpec>): PlantedFault;
  clear(): void;
  list(): readonly PlantedFault[];
  /** Draws and uses up what strikes this request. */
  strike(broker: BrokerId, operation: Operation): Strike;
  /** The same for a handshake or a frame of one of its sockets. */
  strikeStream(broker: BrokerId, at: 'handshake' | 'frame'): StreamFault | null;
}

/** Faults to be drawn in the order they were planted; chance comes from the seed. */
export function createFaults(options: { seed: number }): Faults {
  const random = seededRandom(options.seed ^ 0x5eed);
  const planted: PlantedFault[] = [];

  /** Whether it is this fault's turn; chance is asked last. */
  function due({ fault, struck }: PlantedFault, broker: BrokerId, fits: boolean): boolean {
    const times = fault.times ?? (fault.probability === undefined ? 1 : 'always');
    if (!fits || (times !== 'always' && struck >= times)) return false;
    if (fault.broker !== undefined && fault.broker !== broker) return false;
    return fault.probability === undefined || random.next() < fault.probability;
  }

  function strikes(entry: PlantedFault, broker: BrokerId, operation: Operation): boolean {
    const { kind, operation: wanted } = entry.fault;
    const within = (wanted === 'any' || wanted === operation) && (reach[kind]?.includes(operation) ?? true);
    return due(entry, broker, within && !(kind in streaming) && !(kind === 'sessionExpired' && operation === 'login'));
  }

  return {
    plant(spec) {
      const entry = { fault: FaultSpec.parse(spec), struck: 0 };
      planted.push(entry);
      return entry;
    },
    clear: () => planted.splice(0),
    list: () => planted,
    strike(broker, operation) {
      const strike: Strike = { answer: null, effects: {}, delayMs: 0, afterMs: 0, kinds: [] };
      for (const entry of planted) {
        if (entry.fault.kind in answering && strike.answer) continue;
        if (!strikes(entry, broker, operation)) continue;
        entry.struck += 1;
        add(strike, entry.fault);
      }
      return strike;
    },
    strikeStream(broker, at) {
      for (const entry of planted) {
        const { fault } = entry;
        if (!isStreaming(fault) || !due(entry, broker, streaming[fault.kind] === at)) continue;
        entry.struck += 1;
        return fault;
      }
      return null;
    },
  };
}

function isStreaming(fault: Fault): fault is StreamFault {
  return fault.kind in streaming;
}

function add(strike: Strike, fault: Fault): void {
  strike.kinds.push(fault.kind);
  strike.delayMs += fault.delayMs;
  strike.afterMs += fault.afterMs;
  if (fault.kind in answering) strike.answer = fault;
  if (fault.kind === 'lateVisibility') strike.effects.visibleAfterMs = fault.visibleAfterMs;
  if (fault.kind === 'partialFills') strike.effects.plan = fault.plan;
  if (fault.kind === 'laggingPositions') strike.effects.lagMs = fault.lagMs;
  if (fault.kind === 'rejectByRisk') strike.effects.rejectByRisk = true;
}
