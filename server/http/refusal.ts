export interface Issue {
  /** The field, dotted. */
  path: string;
  message: string;
}

interface Extras {
  headers?: Readonly<Record<string, string>>;
  issues?: readonly Issue[];
  /** What went wrong inside, for the log alone. */
  cause?: unknown;
}

/** A request the edge answers itself: an HTTP status, a sentence for a person, and what goes beside it. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly issues: readonly Issue[] | undefined;

  constructor(status: number, message: string, extras: Extras = {}) {
    super(message, { cause: extras.cause });
    this.status = status;
    this.headers = extras.headers ?? {};
    this.issues = extras.issues;
  }

  /** The RequestError of the contract. */
  get body(): { success: false; message: string; issues?: readonly Issue[] } {
    return { success: false, message: this.message, ...(this.issues && { issues: this.issues }) };
  }
}

/** 422: every bad field named, in one sentence and as a list. */
export function invalid(issues: readonly Issue[]): Refusal {
  return new Refusal(422, issues.map((issue) => `${issue.path}: ${issue.message}`).join('; '), { issues });
}
