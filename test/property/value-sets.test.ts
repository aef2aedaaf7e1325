// Every operator on every type of field, with operands that one statement reads from value sets, selects what it selects with its own.
import { beforeAll, describe, expect, it } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import { type MembersRequest, memberShape, readMemberSets } from '../../src/items/watch/member-sets.ts'
import type { WatchedItem } from '../../src/items/watch/watched-list.ts'
import { storedKey } from '../../src/plan/key.ts'
import { lanes } from '../support/lanes.ts'
import { oneIn } from '../support/long-runs.ts'
import { columns } from './columns.ts'
import { exhaustive, operatorNames } from './conditions.ts'
import { seed } from './random-filters.ts'
import { type Filter, makeTable, type Outcome, type Table } from './table.ts'

/** Filters that were read together. */
const counts = { together: 0, alone: 0 }

describe.each(lanes)('on $title', ({ name, own, open }) => {
  const here = columns.filter(({ homes, field }) => homes[name] && (own?.includes(field.type) ?? true))
  let table: Table
  beforeAll(async () => {
    const opened = await open()
    table = await makeTable(name, opened.db)
  })

  it.each(here)(
    `value sets of $name select what single filters select (QUERNEL_SEED=${seed})`,
    async (column) => {
      const filters = ofSomeOperators(exhaustive(column), 36, seed + here.indexOf(column))
      expect(await misreadBySets(table, filters, table.lastOf(column))).toEqual([])
    },
  )

  it('value sets that are compared by code point select what single filters select', async () => {
    const exact = table.having({ collation: 'codepoint' })
    const ofTexts = here.filter(({ field }) => field.type === 'string' || field.type === 'csv')
    for (const column of ofTexts) {
      const filters = ofSomeOperators(exhaustive(column), 72, seed + here.indexOf(column))
      expect(await misreadBySets(exact, filters, exact.lastOf(column))).toEqual([])
    }
  })
})

describe('the filters', () => {
  it('are mostly read together', () => {
    expect(counts.together).toBeGreaterThan(counts.alone)
  })
})

/** The filters of one in so many operators, with all of their operands: those of one operator are read together. */
function ofSomeOperators(filters: readonly Filter[], many: number, turn: number): readonly Filter[] {
  const operators = oneIn(many, [...operatorNames, ...operatorNames], turn)
  const isOfSome = (tests: unknown): boolean =>
    typeof tests === 'object' &&
    tests !== null &&
    Object.entries(tests).some(([word, inner]) => operators.some((name) => name === word) || isOfSome(inner))
  return filters.filter(isOfSome)
}

interface Misread {
  readonly filter: Filter
  readonly found: Outcome
  readonly wanted: Outcome
}

/** Reads filters by their shapes, and returns those that select other rows than they do in a statement of their own. */
async function misreadBySets(
  table: Table,
  filters: readonly Filter[],
  upTo: number,
): Promise<readonly Misread[]> {
  const engine = internalsOf(table.engine)
  const collection = engine.schema.collections.get('nasty')
  if (!collection) throw new Error('no table')
  const keys = Array.from({ length: upTo }, (_, at) => storedKey(collection, at + 1))
  const outcomes = await table.inSql(filters, upTo)
  const shapes = new Map<object, { readonly at: number; readonly read: MembersRequest }[]>()
  for (const [at, filter] of filters.entries()) {
    if (typeof outcomes[at] === 'string') continue
    const request = { collection: 'nasty', query: { fields: ['id'], filter }, part: 'members' } as const
    const shape = memberShape(engine, request)
    if (!shape) counts.alone++
    else shapes.set(shape, [...(shapes.get(shape) ?? []), { at, read: { engine, request, keys } }])
  }
  const misread: Misread[] = []
  for (const some of shapes.values()) {
    if (some.length > 1) counts.together += some.length
    else counts.alone++
    const found = await readAll(some.map(({ read }) => read))
    for (const [index, { at }] of some.entries()) {
      const [ids, wanted] = [found[index] ?? [], outcomes[at] ?? []]
      if (String(ids) !== String(wanted)) misread.push({ filter: filters[at] ?? {}, found: ids, wanted })
    }
  }
  return misread
}

/** One alone has no sets: it is read beside itself. */
async function readAll(reads: readonly MembersRequest[]): Promise<readonly (readonly number[])[]> {
  const idsOf = (items: readonly WatchedItem[]) =>
    items.map(({ key }) => Number(key)).sort((one, other) => one - other)
  return (await readMemberSets(reads.length === 1 ? [...reads, ...reads] : reads)).map(idsOf)
}
