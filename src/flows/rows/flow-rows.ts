// The rows of a collection that are flows: they are read and checked as a whole, and take effect as a whole.
import { type Engine, internalsOf } from '../../engine/engine.ts'
import type { HookEvent } from '../../engine/events.ts'
import { fault, quote } from '../../errors/errors.ts'
import { streamItems } from '../../items/stream.ts'
import { type Collection, isStored } from '../../schema/model.ts'
import type { CollectionFlows } from './collection-flows.ts'

/** A row as a definition, with what it is named by and who has saved it. */
export interface FlowRow {
  readonly name: string
  readonly definition: unknown
  readonly author: string | number | undefined
}

const wanted = ['name', 'trigger', 'operations'] as const
const optional = ['access', 'first', 'active'] as const

/** Maximum number of rows. */
const mostRows = 10_000

/** The rows of a collection. */
export class FlowRows {
  readonly settings: CollectionFlows
  readonly #engine: Engine
  readonly #fields: readonly string[]
  /** The rows that are in effect, as a text. */
  #text: string | undefined

  constructor(engine: Engine, settings: CollectionFlows) {
    this.#engine = engine
    this.settings = settings
    this.#fields = fieldsOf(engine.schema.collections.get(settings.collection), settings)
  }

  /** Returns the rows; undefined if they are as they were. */
  async changed(): Promise<readonly FlowRow[] | undefined> {
    const { author } = this.settings
    const items: unknown[] = []
    const query = { fields: this.#fields, limit: -1 }
    for await (const item of streamItems(this.#engine.fresh(), this.settings.collection, query as object)) {
      items.push(item)
      if (items.length > mostRows)
        throw fault(
          'CONTENT_TOO_LARGE',
          `${quote(this.settings.collection)} has more than ${mostRows} flows.`,
        )
    }
    const text = JSON.stringify(items)
    if (text === this.#text) return undefined
    this.#text = text
    return items.filter(isActive).map((item) => rowOf(item, author))
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
      const isLeft = event === 'items.create' && !isFilled && user !== undefined && user !== null
      return isLeft ? { ...rest, [author]: user } : rest
    }
    const removals = (['items.create', 'items.update'] as const).map((event) =>
      this.#engine.on(event, collection, guard, { when: 'before' }),
    )
    return () => {
      for (const remove of removals) remove()
    }
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

function rowOf(item: unknown, authorField: string | undefined): FlowRow {
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
    name: typeof name === 'string' ? name : String(name),
    definition,
    author: typeof author === 'string' || typeof author === 'number' ? author : undefined,
  }
}
