// Detects tables that store other values than are given: rules that judged those would be wrong. Each table is queried once.
import { execute } from '../../execution/execute.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import { alteredStatement } from '../../sql/write/returning.ts'
import { memoFor } from '../../values/memo.ts'
import type { WriteContext } from '../write-context.ts'

/** Answers known so far, by database adapter, table and the fields that are judged: true if the table alters them. */
const known = new WeakMap<object, WeakMap<Collection, Map<string, boolean>>>()
const fieldsKept = 100

function knownOf(collection: Collection, { engine: { home } }: WriteContext): Map<string, boolean> {
  const ofAdapter = memoFor(
    known,
    home.getExecutor().adapter,
    () => new WeakMap<Collection, Map<string, boolean>>(),
  )
  return memoFor(ofAdapter, collection, () => new Map())
}

/** Returns whether new rows may have other values in some fields than are given, if that is known already. */
export const knownAltered = (
  collection: Collection,
  fields: readonly StoredField[],
  writing: WriteContext,
): boolean | undefined => knownOf(collection, writing).get(nameOf(fields))

/** True if new rows may have other values in some fields than are given. */
export async function isAltered(
  collection: Collection,
  fields: readonly StoredField[],
  writing: WriteContext,
): Promise<boolean> {
  const found = knownAltered(collection, fields, writing)
  if (found !== undefined) return found
  const { engine, options } = writing
  const statement = alteredStatement(collection, fields, engine.dialect)
  const [row] = statement ? await execute(engine, statement, options) : []
  const all = knownOf(collection, writing)
  if (all.size >= fieldsKept) all.clear()
  all.set(nameOf(fields), Boolean(row?.[0]))
  return Boolean(row?.[0])
}

const nameOf = (fields: readonly StoredField[]): string => fields.map(({ name }) => name).join('\n')
