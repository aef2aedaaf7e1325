import { render } from '../../dialects/sql.ts'
import type { Key } from '../../plan/key.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import type { WriteContext } from '../context/write-context.ts'
import { run } from '../stored/rows-by-key.ts'

/** Advances the sequence past keys that were given to new rows. `fields`: those that were given. */
export async function countOn(
  collection: Collection,
  fields: readonly Pick<StoredField, 'name'>[],
  keys: readonly Key[],
  writing: WriteContext,
): Promise<void> {
  const { key } = collection
  const { dialect } = writing.engine
  if (key?.kind !== 'scalar' || key.value.family !== 'integer' || !dialect.countOn) return
  if (!fields.some(({ name }) => name === key.name)) return
  const last = keys.reduce<bigint>((most, one) => (typeof one === 'bigint' && one > most ? one : most), 0n)
  if (last > 0n) await run(writing, render(dialect.countOn(collection, key.column, last), dialect))
}
