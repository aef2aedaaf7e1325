// Refuses a key that several rows share, although it should be unique: a write meant for one of them is applied to none.

import { fault, type Path } from '../../errors/errors.ts'
import { type Key, keyIdentities } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import type { Keyed } from '../../sql/write/write-statements.ts'
import type { WriteContext } from '../context/write-context.ts'

/** Returns keys for a statement. Writing several rows takes a transaction, which fails as a whole. */
export const keyed = (keys: readonly Key[], { engine }: WriteContext): Keyed => ({
  keys,
  isFinal: keys.length === 1 && engine.unit === undefined,
})

/** Refuses a write to more rows than there were keys. */
export function refuseShared(returned: readonly Key[], keys: readonly Key[], collection: Collection): void {
  if (returned.length > keys.length) throw shared(collection)
  if (returned.length > 1 && keyIdentities(returned).size < returned.length) throw shared(collection)
}

export const shared = ({ name }: Collection, path?: Path) =>
  fault('RECORD_NOT_UNIQUE', `Several items of "${name}" have the same key, so nothing was changed.`, {
    path,
    hint: 'A key identifies items: use a field whose values are unique.',
    extensions: { collection: name },
  })
