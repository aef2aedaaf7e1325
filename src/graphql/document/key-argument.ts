import { keyFromAddress } from '../../plan/key.ts'
import type { Schema } from '../../schema/model.ts'

/** Returns a function that reads an `ID` as a key of a collection: several parts stand between commas, as in an address. */
export function keyArgument({ collections }: Schema, name: string): (id: unknown) => unknown {
  const collection = collections.get(name)
  return collection?.key?.kind === 'key' ? (id) => keyFromAddress(collection, String(id)) : (id) => String(id)
}
