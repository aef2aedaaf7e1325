// New items that are rows and nothing more, and name the same fields: they need no plan of their own, and nobody is asked about them. Whatever
// does not fit goes the road of every other item, on which it is told what is wrong with it.
import type { Dialect } from '../dialects/dialect.ts'
import type { Engine } from '../engine.ts'
import { bindItems, type Form, formOf, isNamed } from '../plan/form.ts'
import { type Given, readPayload } from '../plan/payload.ts'
import type { Storable } from '../plan/stored-value.ts'
import { isValidated } from '../plan/validate-item.ts'
import type { Options } from '../run/execute.ts'
import type { Collection } from '../schema/model.ts'
import { insertText } from '../sql/write.ts'
import { keptFor } from '../values/kept.ts'
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

/** The forms of a collection on a kind of database. There are few, because there are few places in a program that write to it. */
const forms = new WeakMap<Dialect, WeakMap<Collection, Form[]>>()
const formsKept = 20

/** The form for items that look like one of them. */
function formFor(collection: Collection, first: Given | undefined, { dialect }: Engine): Form | undefined {
  if (!first || Object.hasOwn(first, collection.key.name)) return undefined
  const kept = formsOf(collection, dialect)
  const known = kept.find(({ names }) => isNamed(first, names))
  if (known) return known
  const made = formOf(collection, Object.keys(first), dialect)
  if (!made) return undefined
  if (kept.length === formsKept) kept.shift()
  kept.push(made)
  return made
}

function formsOf(collection: Collection, dialect: Dialect): Form[] {
  const known = keptFor(forms, dialect, () => new WeakMap())
  return keptFor(known, collection, () => [])
}

async function insert(
  collection: Collection,
  { fields, texts }: Form,
  items: readonly NewItem[],
  parameters: readonly unknown[],
  writing: Writing,
): Promise<readonly Storable[]> {
  const { problems, engine } = writing
  const sql = texts.get(items.length) ?? insertText(collection, fields, items.length, engine.dialect).sql
  texts.set(items.length, sql)
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
