// New items that are rows and nothing more, and name the same fields: they need no plan of their own, and nobody is asked about them. Whatever
// does not fit goes the road of every other item, on which it is told what is wrong with it.
import type { Engine } from '../engine.ts'
import { bindItems, type Form, formOf } from '../plan/form.ts'
import { type Given, readPayload } from '../plan/payload.ts'
import type { Storable } from '../plan/stored-value.ts'
import { isValidated } from '../plan/validate-item.ts'
import { Cache } from '../run/cache.ts'
import type { Options } from '../run/execute.ts'
import type { Collection } from '../schema/model.ts'
import { insertText } from '../sql/write.ts'
import { atomically, persistently } from './atomically.ts'
import { keepingRules, pathOf } from './breach.ts'
import { danglingField } from './dangling.ts'
import type { Intent } from './decide.ts'
import { isHeard } from './plain.ts'
import { mostRows, portions } from './portions.ts'
import { keysOf, numbered } from './rows.ts'
import { newWriting, type Writing } from './writing.ts'

/** An item as it was asked for, and where it stands in the request. */
export type NewItem = Pick<Intent, 'given' | 'path'>

/** Creates items, and answers what is made of their keys. Undefined, with nothing done, where they are not alike. */
export async function createAlike<Answer>(
  collection: Collection,
  items: readonly NewItem[],
  engine: Engine,
  options: Options,
  answer: (keys: readonly Storable[], inside: Engine) => Promise<Answer>,
): Promise<Answer | undefined> {
  const form = isOpen(collection, engine) ? formFor(collection, items[0]?.given, engine) : undefined
  if (!form) return undefined
  const writing = newWriting(engine, options)
  const bound = bindItems(form, items, writing.occasion)
  if (!bound) return undefined
  const all = portions(items.length, mostRows(form.fields.length))
  if (all.length === 1 && !engine.unit) {
    // One statement needs no transaction around it.
    const made = () => insert(collection, form, items, bound, writing)
    return answer(await persistently(engine, options, made), engine)
  }
  return atomically(engine, options, async (inside) => {
    const keys: Storable[] = []
    for (const [from, until] of all) {
      const width = form.fields.length
      const values = bound.slice(from * width, until * width)
      const made = await insert(collection, form, items.slice(from, until), values, {
        ...writing,
        engine: inside.whole(),
      })
      for (const key of made) keys.push(key)
    }
    return answer(keys, inside)
  })
}

/** Whether rows of a collection are nobody's business but the caller's, and are numbered by the database. */
function isOpen(collection: Collection, engine: Engine): boolean {
  const { key, isSingleton } = collection
  if (engine.narrowing?.limits) return false
  if (isSingleton || key.kind !== 'scalar' || key.value.family !== 'integer' || isValidated(collection))
    return false
  return !isHeard(engine, 'items.create', collection)
}

const forms = new WeakMap<Collection, Cache<Form | undefined>>()
const formsKept = 50

/** The form for items that look like one of them. */
function formFor(collection: Collection, first: Given | undefined, { dialect }: Engine): Form | undefined {
  if (!first || Object.hasOwn(first, collection.key.name)) return undefined
  const names = Object.keys(first)
  const title = `${dialect.name}\n${names.join('\n')}`
  const kept = forms.get(collection) ?? new Cache<Form | undefined>(formsKept)
  forms.set(collection, kept)
  const known = kept.get(title)
  if (known) return known
  const made = formOf(collection, names, dialect)
  if (made) kept.set(title, made)
  return made
}

async function insert(
  collection: Collection,
  { fields }: Form,
  items: readonly NewItem[],
  parameters: readonly unknown[],
  writing: Writing,
): Promise<readonly Storable[]> {
  const { sql } = insertText(collection, fields, items.length, writing.engine.dialect)
  const { problems } = writing
  const rows = () =>
    items.map(({ given, path }) => readPayload(given, { collection, path, problems, isKeyed: false }).values)
  const keys = await keepingRules(
    collection,
    pathOf(items),
    writing,
    () => keysOf({ sql, parameters }, collection, writing),
    () => danglingField(rows(), writing),
  )
  return numbered(keys)
}
