// Rows of a table by their keys: looked up, and changed a few hundred at a time.

import type { Dialect } from '../../dialects/dialect.ts'
import { type EngineError, fault, type Path, unreachable } from '../../errors/errors.ts'
import { execute } from '../../execution/execute.ts'
import { type Key, keyIdentities, keyIdentity, keyOfValue } from '../../plan/key.ts'
import { readStored } from '../../plan/write/stored-value.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { Row } from '../../rows/row.ts'
import { type Collection, type KeyField, keyFieldsOf, keyOf, type OwnField } from '../../schema/model.ts'
import { holdersStatement, keysStatement } from '../../sql/key-statements.ts'
import type { Statement } from '../../sql/statement.ts'
import { storedReading } from '../../sql/stored-column.ts'
import type { Storable } from '../../types/family-row.ts'
import { memoFor } from '../../values/memo.ts'
import { groupBy } from '../context/group-by.ts'
import { missing } from '../context/named-key.ts'
import type { WriteContext } from '../context/write-context.ts'
import { keyed, shared } from './unique-keys.ts'

export const run = ({ engine, options }: WriteContext, statement: Statement): Promise<readonly Row[]> =>
  execute(engine, statement, options)

type KeyReader = (found: unknown) => Storable | null
const readers = new WeakMap<Dialect, WeakMap<OwnField | KeyField, KeyReader>>()

/** Returns a reader that turns values of a field in rows into the form of payloads. */
export function readerOf(field: OwnField | KeyField, { engine: { dialect } }: WriteContext): KeyReader {
  const known = memoFor(readers, dialect, () => new WeakMap())
  return memoFor(known, field, () => newReader(field, dialect))
}

function newReader(field: OwnField | KeyField, dialect: Dialect): KeyReader {
  const { read } = storedReading(field, dialect)
  // A column may store values that may not be written.
  const held = { ...field, value: { ...field.value, isWide: true } }
  return (found) => {
    if (found === null || found === undefined) return null
    const value = readStored(held, read ? read(found) : found)
    if (value.kind !== 'value') throw unreachable('a stored value is none')
    return value.value
  }
}

function keyReaderOf(collection: Collection, writing: WriteContext): (found: unknown) => Key {
  const { name } = collection
  const read = readerOf(keyOf(collection), writing)
  return (found) => {
    const value = read(found)
    if (value === null)
      throw fault(
        'INVALID_SCHEMA',
        `The database has an item of "${name}" without a "${keyFieldsOf(collection)
          .map((field) => field.name)
          .join('", "')}".`,
        {
          hint: 'A key that is not given has to be made by the database: its column counts up, or has a default.',
        },
      )
    return keyOfValue(value)
  }
}

/** Returns the keys that a statement returns. Those of new rows are in the order in which the rows were inserted, even if the keys are
 *  counted down or random. */
export async function keysOf(
  statement: Statement,
  collection: Collection,
  writing: WriteContext,
): Promise<readonly Key[]> {
  return readKeys(await run(writing, statement), collection, writing)
}

/** Reads the keys in the first column of rows. */
export function readKeys(
  rows: readonly Row[],
  collection: Collection,
  writing: WriteContext,
): readonly Key[] {
  const read = keyReaderOf(collection, writing)
  return rows.map((row) => read(row[0]))
}

/** Returns the keys of items, where they are known. */
export const keysIn = (items: readonly Pick<ItemWrite, 'key'>[]): readonly Key[] =>
  items.flatMap(({ key }) => (key === undefined ? [] : [key]))

/** Returns the key of a stored item. */
export function keyOfItem({ key }: ItemWrite): Key {
  if (key === undefined) throw unreachable('an item was stored without a key')
  return key
}

/** Requires a key for each new row. A trigger may skip a row, and then it is not known to which rows the keys belong. */
export function requireEach(
  keys: readonly Key[],
  collection: Collection,
  rows: readonly { readonly path: Path }[],
): void {
  if (keys.length !== rows.length) refuseLost(collection, rows)
}

export function refuseLost({ name }: Collection, rows: readonly { readonly path: Path }[]): never {
  throw fault('FAILED_VALIDATION', `The database did not take every new item of "${name}".`, {
    path: pathOf(rows),
    extensions: { collection: name },
  })
}

/** Returns those of some keys that exist, as texts. */
export async function existing(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlySet<string>> {
  return keyIdentities(await existingKeys(collection, keys, writing))
}

/** Returns the keys of those rows that some keys name, as the rows spell them. */
export const existingKeys = async (
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<readonly Key[]> =>
  keys.length === 0
    ? []
    : keysOf(keysStatement(collection, keys, writing.engine.dialect), collection, writing)

export interface Holder {
  readonly key: Key
  readonly other: Storable | null
}

/** Returns the rows whose field, or fields, have one of some values, by that value as text. */
export async function holders(
  field: OwnField | KeyField,
  values: readonly Storable[],
  other: OwnField | KeyField | undefined,
  writing: WriteContext,
): Promise<ReadonlyMap<string, readonly Holder[]>> {
  if (values.length === 0) return new Map()
  const rows = await run(writing, holdersStatement(field, values, other, writing.engine.dialect))
  const [readKey, readHeld] = [keyReaderOf(field.collection, writing), readerOf(field, writing)]
  const readOther = other && readerOf(other, writing)
  const textOf = (value: Storable) => keyIdentity(keyOfValue(value))
  const requested = new Set(values.map(textOf))
  const found = rows.map((row) => ({
    key: readKey(row[0]),
    value: textOf(readHeld(row[1]) ?? ''),
    other: readOther?.(row[2]) ?? null,
  }))
  if (found.every(({ value }) => requested.has(value))) return groupBy(found, ({ value }) => value)
  // The database takes another text for one of the values.
  const [only, ...others] = values
  if (only !== undefined && others.length === 0) return new Map([[textOf(only), found]])
  const each = new Map<string, readonly Holder[]>()
  for (const value of values)
    for (const [text, held] of await holders(field, [value], other, writing)) each.set(text, held)
  return each
}

/** Returns the error for a statement that has changed no row with a key: no row has it, or several have. */
export async function whyNone(
  collection: Collection,
  key: Key,
  writing: WriteContext,
  path?: Path,
): Promise<EngineError> {
  if (!keyed([key], writing).isFinal) return missing(path)
  const found = await keysOf(keysStatement(collection, [key], writing.engine.dialect), collection, writing)
  return found.length > 1 ? shared(collection, path) : missing(path)
}

/** Returns the path of the item to which a broken constraint belongs: known if there is only one item. */
export const pathOf = ([first, ...others]: readonly { readonly path: Path }[]): Path | undefined =>
  others.length === 0 ? first?.path : undefined
