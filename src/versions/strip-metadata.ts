// Deltas as they are stored: another program may have stored metadata beside the fields, such as who saved each part, and databases do not
// keep the order of the fields. No field name begins with "_".
import type { ItemData } from '../plan/write/changes.ts'
import { eachChild, targetIn } from '../plan/write/mask-secrets.ts'
import { type Collection, isToMany } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'

/** Returns the fields of a delta without metadata and in the order of the schema, at any depth: of two changes of one row the later counts.
 *  Values of fields stay as they are. */
export function stripMetadata(collection: Collection | undefined, payload: ItemData): ItemData {
  return Object.fromEntries(
    inOrder(collection, withoutMarks(payload)).map(([name, value]) => {
      const field = collection?.fields.get(name)
      if (!field || field.kind === 'scalar') return [name, value]
      const strip = (item: ItemData) => stripMetadata(targetIn(field, payload), item)
      if (!isToMany(field)) return [name, isRecord(value) ? strip(value) : value]
      return [name, eachChild(isRecord(value) ? Object.fromEntries(withoutMarks(value)) : value, strip)]
    }),
  )
}

const withoutMarks = (item: ItemData) => Object.entries(item).filter(([name]) => !name.startsWith('_'))

function inOrder(collection: Collection | undefined, entries: ReturnType<typeof withoutMarks>) {
  if (!collection || entries.length < 2) return entries
  const places = new Map([...collection.fields.keys()].map((name, place) => [name, place]))
  const place = ([name]: readonly [string, unknown]) => places.get(name) ?? places.size
  return entries.toSorted((one, other) => place(one) - place(other))
}
