// What a caller sees of what a version changes: the fields that they see of the items themselves.
import type { Engine } from '../engine.ts'
import type { Given } from '../plan/payload.ts'
import type { Storable } from '../plan/stored-value.ts'
import { keyText } from '../plan/write-plan.ts'
import type { Options } from '../run/execute.ts'
import { type Collection, isToMany } from '../schema/model.ts'
import { isRecord } from '../values/record.ts'
import { visibleKeys, writtenFields } from '../writes/permits.ts'
import { readKey } from '../writes/rows.ts'
import { newWriting } from '../writes/writing.ts'

/** `collection`: as it is, not as it is seen. Rows that the caller does not see are not there, either. */
export async function seenDelta(
  collection: Collection,
  delta: Given,
  engine: Engine,
  options: Options,
): Promise<Given> {
  const limits = engine.narrowing?.limits
  if (!limits) return delta
  const fieldsOf: FieldsOf = (of) => limits.seen.of.get(of)?.fields
  const named = new Map<Collection, Map<string, Storable>>()
  partOf(collection, delta, {
    fieldsOf,
    isThere: (of, key) => {
      const keys = named.get(of) ?? new Map<string, Storable>()
      named.set(of, keys.set(keyText(key), key))
      return true
    },
  })
  const seen = new Map<Collection, ReadonlySet<string>>()
  const writing = newWriting(engine, options)
  for (const [of, keys] of named) seen.set(of, await visibleKeys(of, [...keys.values()], writing))
  return partOf(collection, delta, {
    fieldsOf,
    isThere: (of, key) => seen.get(of)?.has(keyText(key)) === true,
  })
}

/** What a caller promotes: what they see, and what they may write unseen. What is neither is not there. */
export function ownDelta(collection: Collection, delta: Given, engine: Engine): Given {
  const limits = engine.narrowing?.limits
  if (!limits) return delta
  const fieldsOf: FieldsOf = (of) => {
    const written = (['create', 'update'] as const).flatMap((action) => [
      ...writtenFields(engine, of, action).fields,
    ])
    const fields = new Map([...(limits.seen.of.get(of)?.fields ?? []), ...written])
    return fields.size > 0 ? fields : undefined
  }
  return partOf(collection, delta, { fieldsOf, isThere: () => true })
}

/** The fields that there are of a collection, where there is any such collection. */
type FieldsOf = (collection: Collection) => Collection['fields'] | undefined

/** What there is of the items that a delta speaks of. */
interface Sight {
  readonly fieldsOf: FieldsOf
  /** Whether an item that it names is there. */
  readonly isThere: (collection: Collection, key: Storable) => boolean
}

function partOf(collection: Collection, given: Given, sight: Sight): Given {
  const fields = sight.fieldsOf(collection)
  if (!fields) return {}
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const field = collection.fields.get(name)
      if (!field || !fields.has(name)) return []
      if (field.kind === 'scalar') return [[name, value]]
      const target = field.kind === 'any' ? field.targets.get(String(given[field.by.name])) : field.target
      // What belongs to a collection of which nothing is seen is as good as not there.
      if (hasItems(value) && !(target && sight.fieldsOf(target))) return []
      if (!target) return [[name, value]]
      if (isToMany(field)) return [[name, listOf(value, target, sight)]]
      // The key itself is the item's own.
      return isRecord(value) ? itemOf(value, target, sight).map((item) => [name, item]) : [[name, value]]
    }),
  )
}

const hasItems = (value: unknown): boolean =>
  isRecord(value) || (Array.isArray(value) && value.some(isRecord))

/** Children: a list of them, or lists of what is created, updated and deleted. */
function listOf(value: unknown, target: Collection, sight: Sight): unknown {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => itemOf(one, target, sight))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([part, list]) => [part, listOf(list, target, sight)]))
}

/** An item, or its key; nothing where it is not there. */
function itemOf(value: unknown, target: Collection, sight: Sight): readonly unknown[] {
  const key = readKey(target, isRecord(value) ? value[target.key.name] : value)
  if (key !== undefined && !sight.isThere(target, key)) return []
  return [isRecord(value) ? partOf(target, value, sight) : value]
}
