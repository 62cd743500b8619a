import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take seconds, by name: most mutants are found without them, and what is found ends the run of a mutant. */
const slow = /\/(simulation|guard-model|properties)\b/;

export class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => Number(slow.test(a.moduleId)) - Number(slow.test(b.moduleId)) || a.moduleId.localeCompare(b.moduleId));
  }
}
