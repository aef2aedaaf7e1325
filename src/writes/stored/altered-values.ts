// Detects tables that store other values than are given: rules that judged those would be wrong. Each table is queried once.
import { execute } from '../../execution/execute.ts'
import { TableFacts } from '../../execution/table-facts.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import { alteredStatement } from '../../sql/write/returning.ts'
import type { WriteContext } from '../context/write-context.ts'

/** Tables known to alter values or not, by the fields that are judged. */
const altered = new TableFacts()

/** Returns whether new rows may have other values in some fields than are given, if that is known already. */
export const knownAltered = (
  collection: Collection,
  fields: readonly StoredField[],
  writing: WriteContext,
): boolean | undefined => altered.get(collection, nameOf(fields), writing.engine)

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
  return altered.set(collection, nameOf(fields), writing.engine, Boolean(row?.[0]))
}

const nameOf = (fields: readonly StoredField[]): string => fields.map(({ name }) => name).join('\n')
