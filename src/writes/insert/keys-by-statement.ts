// Keys of written rows, which the statement that writes returns, or another one where the database cannot return them.

import type { WriteKind } from '../../dialects/dialect.ts'
import { fault } from '../../errors/errors.ts'
import { affect } from '../../execution/execute.ts'
import { type Key, keyIdentity, ownKeyIn } from '../../plan/key.ts'
import type { Row } from '../../rows/row.ts'
import { type Collection, keyFieldsOf } from '../../schema/model.ts'
import { generatedKeyStatement, lockedKeysStatement } from '../../sql/key-statements.ts'
import type { Statement } from '../../sql/statement.ts'
import type { WrittenValues } from '../../sql/write/insert-statement.ts'
import type { WriteContext } from '../context/write-context.ts'
import { existing, keysOf, readKeys, run } from '../stored/rows-by-key.ts'

/** Runs an update or a deletion of the rows with some keys, and returns a row for each of them that begins with its key. */
export async function runByKeys(
  kind: Exclude<WriteKind, 'insert'>,
  statement: Statement,
  { collection, keys }: { readonly collection: Collection; readonly keys: readonly Key[] },
  writing: WriteContext,
): Promise<readonly Row[]> {
  const { dialect } = writing.engine
  if (dialect.returning[kind]) return run(writing, statement)
  const use = kind === 'delete' ? 'removal' : 'change'
  const rows = await run(writing, lockedKeysStatement(collection, keys, use, dialect))
  const changed = await affect(writing.engine, statement, writing.options)
  if (changed >= rows.length) return rows
  // A trigger has kept some as they were.
  return kind === 'delete' ? withoutExisting(rows, collection, keys, writing) : rows.slice(0, changed)
}

async function withoutExisting(
  rows: readonly Row[],
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<readonly Row[]> {
  const left = await existing(collection, keys, writing)
  const isGone = readKeys(rows, collection, writing).map((key) => !left.has(keyIdentity(key)))
  return rows.filter((_, at) => isGone[at])
}

/** Inserts rows and returns their keys. */
export async function insertedKeys(
  statement: Statement,
  collection: Collection,
  rows: readonly WrittenValues[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  if (writing.engine.dialect.returning.insert) return keysOf(statement, collection, writing)
  // A trigger may have skipped some.
  if ((await affect(writing.engine, statement, writing.options)) < rows.length) return []
  const input = rows.map((values) => ownKeyIn(values, collection)).filter((key) => key !== undefined)
  return input.length === rows.length ? input : [await generatedKey(collection, writing)]
}

/** Returns the key that the last insert counted up. */
export async function generatedKey(collection: Collection, writing: WriteContext): Promise<Key> {
  const statement =
    collection.key?.kind === 'scalar' && collection.key.value.family === 'integer'
      ? generatedKeyStatement(collection, writing.engine.dialect)
      : undefined
  const [key] = statement ? readKeys(await run(writing, statement), collection, writing) : []
  if (key !== undefined) return key
  const { name } = collection
  const names = keyFieldsOf(collection).map((field) => field.name)
  throw fault(
    'INVALID_SCHEMA',
    `The key of a new item of "${name}" is made by the database, which does not return it.`,
    {
      hint: `Let it be given: "${names.join('", "')}" may have the special "uuid", for example.`,
      extensions: { collection: name, field: names[0] },
    },
  )
}
