/** Tells one listener that something was committed, so that it need not ask all the time. What other processes commit is not told. */
export class Commits {
  #hear: () => void = () => undefined;

  /** Called in the turn in which a commit is answered. */
  tell(): void {
    this.#hear();
  }

  /** `hear` stands in every order's path: it may do next to nothing. */
  heardBy(hear: () => void): void {
    this.#hear = hear;
  }
}
