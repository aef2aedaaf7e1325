// The rows of a collection that are flows: they are read and checked as a whole, and take effect as a whole.
import { isDeepStrictEqual } from 'node:util'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { quote } from '../../errors/errors.ts'
import { streamItems } from '../../items/stream.ts'
import type { Collection } from '../../schema/model.ts'
import { hashOf } from '../chain/chain.ts'
import { amongKeys, keyReading } from '../operations/chosen-items.ts'
import type { CollectionFlows, FlowRowSize } from './collection-flows.ts'
import { flowFieldsOf, marksOf, type RowMark } from './row-fields.ts'

/** A row as a definition, with what it is named by and who has written it. */
export interface FlowRow {
  readonly name: string
  readonly definition: unknown
  readonly author: string | number | undefined
  /** Reason for which it is not even checked. */
  readonly problem: string | undefined
}

const mostRows = 10_000
const longestRows = 64 * 1024 * 1024
export const usualRowSize = { bytes: 65_536, conditions: 1_000 } as const satisfies Required<FlowRowSize>
const portion = 100

interface ReadRow {
  readonly hash: string
  readonly length: number
  readonly isActive: boolean
  readonly row: FlowRow
}

/** A row at the last look: its mark, and the row itself, unless it is hidden. */
interface KnownRow {
  readonly mark: string | undefined
  readonly read: ReadRow | undefined
}

export class FlowRows {
  readonly settings: CollectionFlows
  readonly #engine: Engine
  readonly #collection: Collection
  readonly #fields: readonly string[]
  /** The rows at the last look, by the texts of their keys and in their order. */
  #known: ReadonlyMap<string, KnownRow> = new Map()
  #isKnown = false

  constructor(engine: Engine, settings: CollectionFlows) {
    this.#engine = engine
    this.settings = settings
    const { collection, fields } = flowFieldsOf(engine.schema, settings)
    this.#collection = collection
    this.#fields = fields
  }

  /** Returns the rows; undefined if they are as they were. Those that have changed are found by their marks, and read alone. */
  async changed(): Promise<readonly FlowRow[] | undefined> {
    const marks = await marksOf(internalsOf(this.#engine), this.#collection, mostRows + 1)
    const before = [...this.#known.values()].map(({ read }) => read?.hash)
    this.#known = marks ? await this.#readMarked(marks) : await this.#readAll()
    const now = [...this.#known.values()].map(({ read }) => read?.hash)
    if (this.#isKnown && isDeepStrictEqual(now, before)) return undefined
    this.#isKnown = true
    return inBounds([...this.#known.values()].flatMap(({ read }) => (read?.isActive ? [read] : [])))
  }

  async #readMarked(marks: ReadonlyMap<string, RowMark>): Promise<ReadonlyMap<string, KnownRow>> {
    const { fields, keyOf } = keyReading(this.#engine, this.#collection.name)
    const stale = [...marks].filter(([text, { mark }]) => this.#known.get(text)?.mark !== mark)
    const fresh = new Map<string, ReadRow>()
    for (let from = 0; from < stale.length; from += portion) {
      const keys = stale.slice(from, from + portion).map(([, { key }]) => key)
      for await (const item of this.#stream([...this.#fields, ...fields], amongKeys(fields, keys))) {
        const text = String(keyOf(item))
        fresh.set(text, this.#rowOf(item, this.#known.get(text)?.read))
      }
    }
    const changed = new Set(stale.map(([text]) => text))
    return new Map(
      [...marks].map(([text, { mark }]) => [
        text,
        { mark, read: changed.has(text) ? fresh.get(text) : this.#known.get(text)?.read },
      ]),
    )
  }

  /** Reads all rows, where no mark says which have changed. */
  async #readAll(): Promise<ReadonlyMap<string, KnownRow>> {
    const all = new Map<string, KnownRow>()
    for await (const item of this.#stream(this.#fields, undefined)) {
      const text = String(all.size)
      all.set(text, { mark: undefined, read: this.#rowOf(item, this.#known.get(text)?.read) })
      if (all.size > mostRows) break
    }
    return all
  }

  #stream(fields: readonly string[], filter: object | undefined) {
    const query = { fields: [...new Set(fields)], limit: -1, ...(filter && { filter }) }
    return streamItems(this.#engine.fresh(), this.#collection.name, query as object)
  }

  /** Returns a row as it is read. One whose text is as it was stays the same object, which is not checked again. */
  #rowOf(item: unknown, before: ReadRow | undefined): ReadRow {
    const { author, limits } = this.settings
    const values = this.#fields.map((name): unknown => Reflect.get(Object(item), name))
    const text = textOf(values)
    const hash = hashOf(text ?? '')
    if (before?.hash === hash) return before
    const length = text === undefined ? 0 : Buffer.byteLength(text)
    const problem = problemOf(item, text === undefined ? undefined : length, { ...usualRowSize, ...limits })
    const own = problem === undefined ? length : 0
    return { hash, length: own, isActive: isActive(item), row: rowOf(item, author, problem) }
  }
}

/** Returns rows, of which those beyond what all of them may have are disabled: what is too large is not kept in memory, either. */
function inBounds(all: readonly ReadRow[]): readonly FlowRow[] {
  let sum = 0
  return all.slice(0, mostRows + 1).map(({ row, length }, at) => {
    sum += length
    const problem = row.problem ?? sumProblem(sum, at)
    return problem === undefined ? row : { ...row, definition: undefined, problem }
  })
}

const isActive = (item: unknown): boolean => Reflect.get(Object(item), 'active') !== false

/** Returns a row as a text; undefined if it is too deep for one, which its problem says. */
function textOf(item: unknown): string | undefined {
  try {
    return JSON.stringify(item)
  } catch {
    return undefined
  }
}

/** Returns why a row by itself is not checked. `length`: its bytes; undefined if it nests too deep to have any. */
function problemOf(
  item: unknown,
  length: number | undefined,
  { bytes, conditions }: Required<FlowRowSize>,
): string | undefined {
  if (length === undefined || length > bytes)
    return `The row has more than ${bytes.toLocaleString('en')} bytes as JSON, or nests too deep.`
  if (conditionsIn(item, false) <= conditions) return undefined
  return `The row has more than ${conditions.toLocaleString('en')} conditions in its filters.`
}

function conditionsIn(value: unknown, isFilter: boolean): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const [name, member] of Object.entries(value)) {
    if (isFilter && /^_(?!and$|or$)/.test(name)) count += 1
    count += conditionsIn(member, isFilter || name === 'filter')
  }
  return count
}

function sumProblem(length: number, before: number): string | undefined {
  if (length > longestRows)
    return `The rows have more than ${longestRows.toLocaleString('en')} bytes with this one.`
  if (before < mostRows) return undefined
  return `There are more than ${mostRows.toLocaleString('en')} flows, so this row and those after it are not read.`
}

function rowOf(item: unknown, authorField: string | undefined, problem: string | undefined): FlowRow {
  const { name, trigger, operations, access, first } = Object(item)
  const author: unknown = authorField === undefined ? undefined : Reflect.get(Object(item), authorField)
  const definition = {
    name,
    trigger,
    access: access ?? 'author',
    ...(first !== null && first !== undefined && { first }),
    operations: operations ?? {},
  }
  return {
    name: typeof name === 'string' ? name : quote(name),
    definition: problem === undefined ? definition : undefined,
    author: typeof author === 'string' || typeof author === 'number' ? author : undefined,
    problem,
  }
}
