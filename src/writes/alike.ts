// New items that are rows and nothing more, and name the same fields: they need no plan of their own, and nobody is asked about them. Whatever
// does not fit goes the road of every other item, on which it is told what is wrong with it.
import type { Dialect } from '../dialects/dialect.ts'
import type { Engine } from '../engine.ts'
import { bindItems, type Form, formOf, type Insertion, isNamed } from '../plan/form.ts'
import type { Given } from '../plan/payload.ts'
import type { Storable } from '../plan/stored-value.ts'
import { isValidated } from '../plan/validate-item.ts'
import type { Options } from '../run/execute.ts'
import { next, type Soon, unlessFailed } from '../run/soon.ts'
import type { Collection } from '../schema/model.ts'
import { keptFor } from '../values/kept.ts'
import { atomically, persistently } from './atomically.ts'
import { counting } from './counted.ts'
import { isFollowed, noteFollowed } from './followed.ts'
import { forgetVersions } from './forget-versions.ts'
import {
  insertCounted,
  insertReturned,
  insertTelling,
  insertTold,
  type NewItem,
  partOf,
  type Returning,
  type Rows,
  textOf,
} from './insert.ts'
import { isHeard } from './plain.ts'
import { mostRows, portions } from './portions.ts'
import { readKeys } from './rows.ts'
import { newWriting, type Writing } from './writing.ts'

/** What a verb makes of the keys of new items. `isReadAgain`: for that it reads them where they were written. */
export interface Answering<Answer = readonly unknown[]> {
  readonly isReadAgain: boolean
  /** How a statement that inserts one item answers for itself; undefined where what it tells is not enough. */
  readonly returning: (insertion: Insertion) => Returning<Answer> | undefined
  readonly of: (keys: readonly Storable[], inside: Engine) => Soon<Answer>
}

/** Creates items, and answers what is made of their keys. Undefined, with nothing done, where they are not alike. */
export function createAlike<Answer>(
  collection: Collection,
  items: readonly NewItem[],
  engine: Engine,
  options: Options,
  answer: Answering<Answer>,
): Soon<Answer> | undefined {
  const form = isOpen(collection, engine) ? formFor(collection, items[0]?.given, engine) : undefined
  if (!form) return undefined
  const writing = newWriting(engine, options)
  const bound = bindItems(form, items, writing.occasion)
  if (!bound) return undefined
  const rows = { collection, form, items, bound }
  // One row needs no transaction around it. Of several a trigger may keep some out, and then all have to be undone.
  if (items.length > 1 || engine.unit || collection.isVersioned) return createTogether(rows, writing, answer)
  if (!answer.isReadAgain) {
    const made = persistently(engine, options, () => insertTold(rows, writing))
    return next(made, (keys) => answer.of(keys, engine))
  }
  const returning = answer.returning(textOf(rows, writing))
  if (!returning) return createTogether(rows, writing, answer)
  return next(isFollowed(collection, writing), (isSo) =>
    isSo ? createTogether(rows, writing, answer) : createReturning(rows, returning, writing, answer),
  )
}

/** Creates an item, and answers it by the statement that inserts it. */
function createReturning<Answer>(
  rows: Rows,
  returning: Returning<Answer>,
  writing: Writing,
  answer: Answering<Answer>,
): Soon<Answer> {
  const { caller: engine, options } = writing
  const made = persistently(engine, options, () => insertReturned(rows, returning, writing))
  return next(made, (row) => {
    const told = returning.answer(row)
    if (!returning.isFollowed(row)) return told
    noteFollowed(rows.collection, writing, true)
    // It is stored, whatever becomes of reading it again.
    return unlessFailed(
      () => answer.of(readKeys([row], rows.collection, writing), engine),
      () => told,
    )
  })
}

function createTogether<Answer>(rows: Rows, writing: Writing, answer: Answering<Answer>): Soon<Answer> {
  const { collection, form, items } = rows
  const { caller: engine, options } = writing
  const parts = portions(items.length, mostRows(form.fields.length)).map(([from, until]) =>
    partOf(rows, from, until),
  )
  return counting(collection, engine.dialect, (isCounted) =>
    atomically(engine, options, async (inside) => {
      const own = { ...writing, engine: inside.whole() }
      const keys = isCounted ? await insertCounted(parts, own) : await insertTelling(parts, own)
      await forgetVersions(collection, keys, own)
      return answer.of(keys, inside)
    }),
  )
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
