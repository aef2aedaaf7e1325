// The rows of a collection that are flows: they are read and checked as a whole, and take effect as a whole.
import { createHash } from 'node:crypto'
import type { Engine } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { streamItems } from '../../items/stream.ts'
import { type Collection, isStored, type Schema } from '../../schema/model.ts'
import type { CollectionFlows } from './collection-flows.ts'

/** A row as a definition, with what it is named by and who has written it. */
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
    this.#fields = fieldsOf(engine.schema, settings)
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
}

function fieldsOf(schema: Schema, { collection: name, author }: CollectionFlows): readonly string[] {
  const collection = schema.collections.get(name)
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
  if (author !== undefined) checkAuthor(schema, collection, author)
  const all = [...wanted, ...optional.filter((one) => isStoredIn(collection, one))]
  return author === undefined ? all : [...all, author]
}

const isStoredIn = ({ fields }: Collection, name: string): boolean => {
  const field = fields.get(name)
  return field !== undefined && isStored(field)
}

/** Refuses a field that anything but the guard writes. */
function checkAuthor(schema: Schema, collection: Collection, author: string): void {
  const field = collection.fields.get(author)
  const refuse = (says: string, hint: string) =>
    fault('INVALID_OPTIONS', `The field ${quote(author)} of ${quote(collection.name)} ${says}`, {
      path: ['flows'],
      hint,
    })
  const isWritten = field && isStored(field) && field.kind !== 'any' && !field.isReadonly && !field.isKey
  if (!isWritten || (field.kind === 'scalar' && field.isGenerated))
    throw refuse(
      'cannot say who has written a flow.',
      'Name a field that holds a user, and that nothing but the flows writes.',
    )
  if (field.special.length > 0)
    throw refuse(
      'is filled in at each write, so whoever touches a row would lend it their rights.',
      'Name a field without "special". Rows in which it is empty run once they are saved.',
    )
  const owner = [...schema.collections.values()]
    .flatMap(({ name, fields }) => [...fields.values()].map((one) => ({ name, one })))
    .find(({ one }) => one.kind === 'o2m' && one.foreign === field)
  if (owner)
    throw refuse(
      `is written by ${quote(owner.one.name)} of ${quote(owner.name)}, so whoever moves a row there would make its author.`,
      'Name a field to which no such relation leads.',
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
