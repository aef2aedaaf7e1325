// Metadata in a delta: another program may have stored some beside the fields, such as who saved each part. No field name begins with "_".
import type { ItemData } from '../plan/write/changes.ts'
import { type Collection, isToMany } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'

/** Returns the fields of a delta without metadata, at any depth. Values of fields stay as they are. */
export function stripMetadata(collection: Collection | undefined, payload: ItemData): ItemData {
  const fields = Object.entries(payload).filter(([name]) => !name.startsWith('_'))
  return Object.fromEntries(
    fields.map(([name, value]) => {
      const field = collection?.fields.get(name)
      if (!field || field.kind === 'scalar') return [name, value]
      const target = field.kind === 'any' ? field.targets.get(String(payload[field.by.name])) : field.target
      return [name, isToMany(field) ? inLists(target, value) : inItem(target, value)]
    }),
  )
}

const inItem = (target: Collection | undefined, value: unknown): unknown =>
  isRecord(value) ? stripMetadata(target, value) : value

/** Strips children, in a list or in lists of created, updated and deleted ones. */
function inLists(target: Collection | undefined, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => inItem(target, one))
  if (!isRecord(value)) return value
  const parts = Object.entries(value).filter(([name]) => !name.startsWith('_'))
  return Object.fromEntries(parts.map(([name, part]) => [name, inLists(target, part)]))
}
