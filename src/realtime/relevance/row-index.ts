// The groups for which a row may matter: found by a value of the row where there is one that it must have, and else matched one by one.

import { type KnownValues, type RowMatcher, type RowTest, unknown } from '../../plan/filter/may-hold.ts'

/** Columns, and by how many they are looked at. */
export class LookedAt {
  readonly #counts = new Map<string, number>()

  get columns(): Iterable<string> {
    return this.#counts.keys()
  }

  has(column: string): boolean {
    return this.#counts.has(column)
  }

  add(columns: Iterable<string>): void {
    for (const column of columns) this.#counts.set(column, (this.#counts.get(column) ?? 0) + 1)
  }

  delete(columns: Iterable<string>): void {
    for (const column of columns) {
      const count = (this.#counts.get(column) ?? 0) - 1
      if (count > 0) this.#counts.set(column, count)
      else this.#counts.delete(column)
    }
  }
}

export class RowIndex<Group> {
  readonly #tests = new Map<Group, RowMatcher>()
  readonly #byValue = new Map<string, Map<unknown, Map<Group, RowTest>>>()
  readonly #others = new Map<Group, RowTest>()
  readonly #lookedAt = new LookedAt()

  get groups(): Iterable<Group> {
    return this.#tests.keys()
  }

  get size(): number {
    return this.#tests.size
  }

  get columns(): Iterable<string> {
    return this.#lookedAt.columns
  }

  has(group: Group): boolean {
    return this.#tests.has(group)
  }

  set(group: Group, matcher: RowMatcher): void {
    this.delete(group)
    this.#tests.set(group, matcher)
    this.#lookedAt.add(matcher.columns)
    if (!matcher.points) {
      this.#others.set(group, matcher.mayHold)
      return
    }
    for (const { column, value } of matcher.points) {
      const values = this.#byValue.get(column) ?? new Map<unknown, Map<Group, RowTest>>()
      const groups = values.get(value) ?? new Map<Group, RowTest>()
      this.#byValue.set(column, values.set(value, groups.set(group, matcher.mayHold)))
    }
  }

  delete(group: Group): void {
    const matcher = this.#tests.get(group)
    if (!matcher) return
    this.#tests.delete(group)
    this.#others.delete(group)
    this.#lookedAt.delete(matcher.columns)
    for (const { column, value } of matcher.points ?? []) this.#deletePoint(group, column, value)
  }

  find(row: KnownValues): Set<Group> {
    const found = new Set<Group>()
    const test = (groups: ReadonlyMap<Group, RowTest> | undefined) => {
      for (const [group, mayHold] of groups ?? []) if (mayHold(row)) found.add(group)
    }
    test(this.#others)
    for (const [column, values] of this.#byValue) {
      const value = row.get(column)
      if (value === unknown) for (const groups of values.values()) test(groups)
      else test(values.get(value))
    }
    return found
  }

  #deletePoint(group: Group, column: string, value: unknown): void {
    const values = this.#byValue.get(column)
    const groups = values?.get(value)
    groups?.delete(group)
    if (groups?.size === 0) values?.delete(value)
    if (values?.size === 0) this.#byValue.delete(column)
  }
}

/** The groups that have an item: most items are in few. */
export class MemberIndex<Group extends object> {
  readonly #groups = new Map<string, Group | Set<Group>>()

  of(identity: string): Iterable<Group> {
    const found = this.#groups.get(identity)
    if (found === undefined) return []
    return found instanceof Set ? found : [found]
  }

  has(identity: string, group: Group): boolean {
    const found = this.#groups.get(identity)
    return found instanceof Set ? found.has(group) : found === group
  }

  add(identity: string, group: Group): void {
    const found = this.#groups.get(identity)
    if (found === undefined) this.#groups.set(identity, group)
    else if (found instanceof Set) found.add(group)
    else if (found !== group) this.#groups.set(identity, new Set([found, group]))
  }

  delete(identity: string, group: Group): void {
    const found = this.#groups.get(identity)
    if (found === group) this.#groups.delete(identity)
    if (!(found instanceof Set)) return
    found.delete(group)
    if (found.size === 0) this.#groups.delete(identity)
  }
}
