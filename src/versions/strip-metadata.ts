// Metadata in a delta: another program may have stored some beside the fields, such as who saved each part. No field name begins with "_".
import type { ItemData } from '../plan/write/changes.ts'
import { eachChild, targetIn } from '../plan/write/mask-secrets.ts'
import { type Collection, isToMany } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'

/** Returns the fields of a delta without metadata, at any depth. Values of fields stay as they are. */
export function stripMetadata(collection: Collection | undefined, payload: ItemData): ItemData {
  return Object.fromEntries(
    withoutMarks(payload).map(([name, value]) => {
      const field = collection?.fields.get(name)
      if (!field || field.kind === 'scalar') return [name, value]
      const strip = (item: ItemData) => stripMetadata(targetIn(field, payload), item)
      if (!isToMany(field)) return [name, isRecord(value) ? strip(value) : value]
      return [name, eachChild(isRecord(value) ? Object.fromEntries(withoutMarks(value)) : value, strip)]
    }),
  )
}

const withoutMarks = (item: ItemData) => Object.entries(item).filter(([name]) => !name.startsWith('_'))
