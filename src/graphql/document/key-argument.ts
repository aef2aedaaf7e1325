// Keys in arguments, which are of the type `ID`.
import { keyFromAddress } from '../../plan/key.ts'
import type { Schema } from '../../schema/model.ts'
import { noKey } from '../../writes/context/named-key.ts'

/** Returns a function that reads an `ID` as a key of a collection: several parts stand between commas, as in an address. */
export function keyArgument({ collections }: Schema, name: string): (id: unknown) => unknown {
  const collection = collections.get(name)
  return collection?.key?.kind === 'key' ? (id) => keyFromAddress(collection, String(id)) : (id) => String(id)
}

/** Returns the list of an argument `ids`. What is null there names no item, although its type allows it. */
export function idsArgument({ ids }: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (!Array.isArray(ids)) return []
  const at = ids.indexOf(null)
  if (at >= 0) throw noKey(null, ['ids', at])
  return ids
}
