// The rows of a collection that are flows: they are read and checked as a whole, and take effect as a whole.
import { createHash } from 'node:crypto'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import type { HookEvent } from '../../engine/events.ts'
import { fault, quote } from '../../errors/errors.ts'
import { streamItems } from '../../items/stream.ts'
import { type Collection, isStored } from '../../schema/model.ts'
import { together } from '../triggers/bind-triggers.ts'
import type { CollectionFlows } from './collection-flows.ts'

/** A row as a definition, with what it is named by and who has saved it. */
export interface FlowRow {
  readonly name: string
  readonly definition: unknown
  readonly author: string | number | undefined
  /** Reason for which it is not even checked. */
  readonly problem: string | undefined
}

const wanted = ['name', 'trigger', 'operations'] as const
const optional = ['access', 'first', 'active'] as const

/** Maximum number of rows. */
const mostRows = 10_000
/** Maximum length of a row, and of all rows, as JSON. */
const longestRow = 1024 * 1024
const longestRows = 64 * 1024 * 1024

/** The rows of a collection. */
export class FlowRows {
  readonly settings: CollectionFlows
  readonly #engine: Engine
  readonly #fields: readonly string[]
  /** A hash of the rows that are in effect. */
  #hash: string | undefined

  constructor(engine: Engine, settings: CollectionFlows) {
    this.#engine = engine
    this.settings = settings
    this.#fields = fieldsOf(engine.schema.collections.get(settings.collection), settings)
  }

  /** Returns the rows; undefined if they are as they were. */
  async changed(): Promise<readonly FlowRow[] | undefined> {
    const { author, collection } = this.settings
    const rows: FlowRow[] = []
    const hash = createHash('sha256')
    let length = 0
    const query = { fields: this.#fields, limit: -1 }
    for await (const item of streamItems(this.#engine.fresh(), collection, query as object)) {
      const text = textOf(item)
      hash.update(text ?? '').update('\n')
      if (!isActive(item)) continue
      if (text !== undefined && text.length <= longestRow) length += text.length
      const problem = problemOf(text, length, rows.length)
      rows.push(rowOf(item, author, problem))
      if (rows.length > mostRows) break
    }
    const now = hash.digest('base64')
    if (now === this.#hash) return undefined
    this.#hash = now
    return rows
  }

  /** Keeps callers from writing who has saved a row. Returns how that ends. */
  guardAuthor(): () => void {
    const { author, collection } = this.settings
    if (author === undefined) return () => undefined
    const field = this.#engine.schema.collections.get(collection)?.fields.get(author)
    const isFilled = field?.kind !== 'scalar' || field.special.includes('user-created') || !field.isNullable
    const guard = ({ payload, user, event, engine }: HookEvent<Engine>) => {
      // The host says itself who has saved what it saves.
      if (!payload || !internalsOf(engine).scope) return undefined
      const { [author]: written, ...rest } = payload
      if (written !== undefined && written !== null && String(written) !== String(user))
        throw notWritten(author)
      // The engine would leave the user who has saved it before, who answers for nothing that nobody changes.
      if (event === 'items.update' && user === undefined) throw notWritten(author)
      const isLeft = event === 'items.create' && !isFilled && user !== undefined && user !== null
      return isLeft ? { ...rest, [author]: user } : rest
    }
    const removals = (['items.create', 'items.update'] as const).map((event) =>
      this.#engine.on(event, collection, guard, { when: 'before' }),
    )
    return together(removals)
  }
}

const notWritten = (author: string) =>
  fault(
    'FORBIDDEN',
    `The field ${quote(author)} says who has saved a flow, and is written by the engine alone.`,
    {
      path: [author],
    },
  )

function fieldsOf(
  collection: Collection | undefined,
  { collection: name, author }: CollectionFlows,
): readonly string[] {
  const path = ['flows']
  if (!collection)
    throw fault('INVALID_OPTIONS', `There is no collection ${quote(name)} whose rows are flows.`, { path })
  const missing = wanted.find((one) => !isStoredIn(collection, one))
  if (missing !== undefined)
    throw fault(
      'INVALID_OPTIONS',
      `The collection ${quote(name)} has no field ${quote(missing)}, which a flow has.`,
      { path },
    )
  if (author !== undefined) checkAuthor(collection, author)
  const all = [...wanted, ...optional.filter((one) => isStoredIn(collection, one))]
  return author === undefined ? all : [...all, author]
}

const isStoredIn = ({ fields }: Collection, name: string): boolean => {
  const field = fields.get(name)
  return field !== undefined && isStored(field)
}

function checkAuthor(collection: Collection, author: string): void {
  const field = collection.fields.get(author)
  const special = field && 'special' in field ? field.special : []
  if (special.includes('user-updated')) return
  throw fault(
    'INVALID_OPTIONS',
    `The field ${quote(author)} of ${quote(collection.name)} does not say who has saved a row, so whoever writes it could lend a flow the rights of another.`,
    { path: ['flows'], hint: 'Give it special: ["user-created", "user-updated"].' },
  )
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

/** Returns why a row is not checked: what is too large is not kept in memory, either. */
function problemOf(text: string | undefined, length: number, before: number): string | undefined {
  if (text === undefined || text.length > longestRow)
    return `The row has more than ${longestRow.toLocaleString('en')} characters as JSON, or nests too deep.`
  if (length > longestRows)
    return `The rows have more than ${longestRows.toLocaleString('en')} characters with this one.`
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
