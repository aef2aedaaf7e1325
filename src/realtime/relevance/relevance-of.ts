// The rows that matter to a group, where memory can check it.

import type { EngineInternals } from '../../engine/engine.ts'
import { comparableFields } from '../../items/watch/matching-rows.ts'
import type { Dependence } from '../../items/watch/watched-list.ts'
import { oneOf, type RowMatcher, rowMatcher } from '../../plan/filter/may-hold.ts'
import type { Predicate, Test } from '../../plan/filter/predicate.ts'
import { type MemoryOrder, memoryOrder } from '../../plan/read/memory-order.ts'
import type { RelevantRows } from '../../plan/relevant-rows.ts'
import type { Schema, StoredField } from '../../schema/model.ts'
import type { WatchedGroup } from '../group/group.ts'
import type { RowTests } from './affected.ts'

/** The rows that matter to a group by the name of their collection. Of others nothing is known. */
export type Relevance = ReadonlyMap<string, RowTests>

export class Relevances {
  readonly #engine: EngineInternals
  readonly #schema: Schema
  readonly #known = new WeakMap<WatchedGroup, Relevance>()
  readonly #fields = new Map<string, Promise<readonly StoredField[]>>()

  constructor(engine: EngineInternals, schema: Schema) {
    this.#engine = engine
    this.#schema = schema
  }

  /** Returns which rows matter to a group. */
  async of(group: WatchedGroup, dependence: Dependence): Promise<Relevance> {
    const { relevant, deciding, touches, isOfVariables, isEntangled } = dependence
    const known = this.#known.get(group)
    if (known && !isOfVariables) return known
    const found = new Map<string, RowTests>()
    // Hooks know more than a plan says.
    if (group.name !== undefined)
      for (const [name, rows] of relevant()) {
        const fields = await this.#fieldsOf(name)
        const partly = columnsPartlyShown(group.engine, name)
        const whole = fields.filter(({ column }) => !partly.has(column))
        const tests = rowTests(rows, isEntangled, group, this.#matcherFor(whole))
        const order = tests?.shown && orderOfFirst(group, whole)
        const decidedBy = (tests?.shown ? deciding() : touches.get(name)) ?? []
        if (tests) found.set(name, { ...tests, order, fields, decidedBy })
      }
    this.#known.set(group, found)
    return found
  }

  /** Returns the fields of a collection that memory compares as the database does. */
  #fieldsOf(name: string): Promise<readonly StoredField[]> {
    const known = this.#fields.get(name)
    if (known) return known
    const collection = this.#schema.collections.get(name)
    const found = collection ? comparableFields(this.#engine, collection) : Promise.resolve([])
    this.#fields.set(name, found)
    // A failure reaches the callers that wait for the promise, and the next one reads again.
    found.catch(() => this.#fields.delete(name))
    return found
  }

  #matcherFor(fields: readonly StoredField[]): (predicate: Predicate) => RowMatcher {
    const columns = new Set(fields.map(({ column }) => column))
    const { negationMatchesNull } = this.#engine
    const isComparable = ({ subject }: Test) => subject.kind === 'field' && columns.has(subject.field.column)
    return (predicate) => rowMatcher(predicate, { negationMatchesNull, isComparable })
  }
}

function rowTests(
  { shown, beside }: RelevantRows,
  isEntangled: boolean,
  { list, read }: WatchedGroup,
  mayHold: (predicate: Predicate) => RowMatcher,
): Omit<RowTests, 'fields' | 'decidedBy'> | undefined {
  if (!shown) return beside && { beside: mayHold(beside) }
  // It is not known which items groups had, nor which came before the page.
  if (list.rows.kind !== 'items' || (read.part === 'watched' && list.page.offset > 0)) return undefined
  if (isEntangled || beside) return { beside: oneOf([shown, ...(beside ? [beside] : [])].map(mayHold)) }
  return { shown: mayHold(shown) }
}

/** Returns the order of a page of so many first items. */
function orderOfFirst({ list, read }: WatchedGroup, fields: readonly StoredField[]): MemoryOrder | undefined {
  if (read.part !== 'watched' || list.page.limit === undefined) return undefined
  const columns = new Set(fields.map(({ column }) => column))
  return memoryOrder(list.order, ({ column }) => columns.has(column))
}

/** Returns the columns of a collection that a caller sees on some rows only: on others they hold nothing, whatever is stored there. */
function columnsPartlyShown({ scope }: EngineInternals, name: string): ReadonlySet<string> {
  const views = [...(scope?.permissions?.seen.shown.values() ?? [])].filter(({ of }) => of.name === name)
  return new Set(views.flatMap(({ partly }) => [...partly].flatMap(([shown, { column }]) => [shown, column])))
}
