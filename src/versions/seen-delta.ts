// What a caller sees of what a version changes: the fields that they see of the items themselves.
import type { Engine } from '../engine.ts'
import type { Given } from '../plan/payload.ts'
import { type Collection, isToMany } from '../schema/model.ts'
import { isRecord } from '../values/record.ts'
import { writtenFields } from '../writes/permits.ts'

/** `collection`: as it is, not as it is seen. */
export function seenDelta(collection: Collection, delta: Given, engine: Engine): Given {
  const limits = engine.narrowing?.limits
  if (!limits) return delta
  return partOf(collection, delta, (of) => limits.seen.of.get(of)?.fields)
}

/** What a caller promotes: what they see, and what they may write unseen. What is neither is not there. */
export function ownDelta(collection: Collection, delta: Given, engine: Engine): Given {
  const limits = engine.narrowing?.limits
  if (!limits) return delta
  return partOf(collection, delta, (of) => {
    const written = (['create', 'update'] as const).flatMap((action) => [
      ...writtenFields(engine, of, action).fields,
    ])
    const fields = new Map([...(limits.seen.of.get(of)?.fields ?? []), ...written])
    return fields.size > 0 ? fields : undefined
  })
}

/** The fields that there are of a collection, where there is any such collection. */
type FieldsOf = (collection: Collection) => Collection['fields'] | undefined

function partOf(collection: Collection, given: Given, fieldsOf: FieldsOf): Given {
  const fields = fieldsOf(collection)
  if (!fields) return {}
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const field = collection.fields.get(name)
      if (!field || !fields.has(name)) return []
      if (field.kind === 'scalar') return [[name, value]]
      const target = field.kind === 'any' ? field.targets.get(String(given[field.by.name])) : field.target
      // What belongs to a collection of which nothing is seen is as good as not there.
      if (hasItems(value) && !(target && fieldsOf(target))) return []
      return [[name, isToMany(field) || target ? itemsOf(value, target, fieldsOf) : value]]
    }),
  )
}

const hasItems = (value: unknown): boolean =>
  isRecord(value) || (Array.isArray(value) && value.some(isRecord))

/** Items in a value: one, a list of them, or lists of what is created, updated and deleted. */
function itemsOf(value: unknown, target: Collection | undefined, fieldsOf: FieldsOf): unknown {
  if (!target) return value
  if (Array.isArray(value)) return value.map((one: unknown) => itemsOf(one, target, fieldsOf))
  if (!isRecord(value)) return value
  const isParts = Object.entries(value).every(([part, list]) => parts.has(part) && Array.isArray(list))
  if (!isParts || Object.keys(value).length === 0) return partOf(target, value, fieldsOf)
  return Object.fromEntries(
    Object.entries(value).map(([part, list]) => [part, itemsOf(list, target, fieldsOf)]),
  )
}

const parts: ReadonlySet<string> = new Set(['create', 'update', 'delete'])
