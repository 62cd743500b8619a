import type { AlertKind } from '../../contract/alerts.ts';
import type { News } from './alert.ts';
import { kinds } from './kinds.ts';

/** Something that lasts, as it is found at one look. */
export interface Finding {
  /** Names it: the same as long as it lasts. */
  key: string;
  kind: AlertKind;
  message: string;
}

/** Something that was told and is not over. Instants are epoch ms, UTC. */
export interface Standing extends Finding {
  since: number;
  toldAt: number;
}

/** What a look changed: what is to be told, what stands now, what stands no more. */
export interface Change {
  news: News[];
  told: Standing[];
  ended: string[];
}

/** What comes back so soon after it was told is told again only then. */
const QUIET_MS = 600_000;

/**
 * What was told and is not over. Each thing is told when it has lasted a while, seldom again, and once when it is over; what comes and goes is told at
 * most once in ten minutes. In memory; whoever holds it writes down what changed.
 */
export class Standings {
  readonly #standing = new Map<string, Standing>();
  /** When something was found first, or was missing first, monotonic ms. */
  readonly #found = new Map<string, number>();
  readonly #missing = new Map<string, number>();
  /** When something that is over was told, monotonic ms. */
  readonly #over = new Map<string, number>();

  /** Begins with what an earlier process told. */
  load(standing: readonly Standing[]): void {
    for (const one of standing) this.#standing.set(one.key, one);
  }

  /** Oldest first. */
  list(): Standing[] {
    return [...this.#standing.values()].sort((a, b) => a.since - b.since);
  }

  /** Takes in one look: all that was found of the kinds `judged`. `now` is epoch ms, `mono` monotonic ms. */
  look(findings: readonly Finding[], judged: ReadonlySet<AlertKind>, now: number, mono: number): Change {
    const change: Change = { news: [], told: [], ended: [] };
    const keys = new Set(findings.map(({ key }) => key));
    for (const finding of findings) this.#meet(finding, now, mono, change);
    for (const key of this.#found.keys()) if (!keys.has(key)) this.#found.delete(key);
    for (const one of this.#standing.values()) {
      if (judged.has(one.kind) && !keys.has(one.key)) this.#miss(one, now, mono, change);
    }
    for (const [key, at] of this.#over) if (mono - at >= QUIET_MS) this.#over.delete(key);
    return change;
  }

  /** Begins something at once; nothing where it stands already. */
  begin(finding: Finding, now: number): Change {
    if (this.#standing.has(finding.key)) return { news: [], told: [], ended: [] };
    return this.#tell(finding, now, { news: [], told: [], ended: [] });
  }

  /** Ends something at once; nothing where it does not stand. */
  end(key: string, message: string): Change {
    const one = this.#standing.get(key);
    if (!one) return { news: [], told: [], ended: [] };
    this.#standing.delete(key);
    return { news: [{ kind: one.kind, state: 'over', message }], told: [], ended: [key] };
  }

  /** Forgets what is over without a word: what belonged to a day that is gone. */
  forget(isOver: (one: Standing) => boolean): Change {
    const ended = this.list()
      .filter(isOver)
      .map(({ key }) => key);
    for (const key of ended) this.#standing.delete(key);
    return { news: [], told: [], ended };
  }

  /** Whether something was told and is not over. */
  has(key: string): boolean {
    return this.#standing.has(key);
  }

  #meet(finding: Finding, now: number, mono: number, change: Change): void {
    const { key, kind } = finding;
    this.#missing.delete(key);
    const standing = this.#standing.get(key);
    if (standing) this.#remind({ ...standing, message: finding.message }, now, change);
    if (standing) return;
    const since = this.#found.get(key) ?? mono;
    this.#found.set(key, since);
    if (this.#over.has(key) || mono - since < (kinds[kind].holdsMs ?? 0)) return;
    this.#found.delete(key);
    this.#tell(finding, now, change);
  }

  #tell(finding: Finding, now: number, change: Change): Change {
    const standing = { ...finding, since: now, toldAt: now };
    this.#standing.set(finding.key, standing);
    change.told.push(standing);
    change.news.push({ kind: finding.kind, state: 'began', message: finding.message });
    return change;
  }

  #remind(standing: Standing, now: number, change: Change): void {
    const { remindMs } = kinds[standing.kind];
    if (remindMs === undefined || now - standing.toldAt < remindMs) return;
    const told = { ...standing, toldAt: now };
    this.#standing.set(told.key, told);
    change.told.push(told);
    change.news.push({ kind: told.kind, state: 'reminder', message: told.message });
  }

  #miss(one: Standing, now: number, mono: number, change: Change): void {
    const since = this.#missing.get(one.key) ?? mono;
    this.#missing.set(one.key, since);
    if (mono - since < (kinds[one.kind].settlesMs ?? 0)) return;
    this.#missing.delete(one.key);
    this.#standing.delete(one.key);
    this.#over.set(one.key, mono - Math.max(0, now - one.toldAt));
    change.ended.push(one.key);
    change.news.push({ kind: one.kind, state: 'over', message: one.message });
  }
}
