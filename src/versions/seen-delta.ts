// What a caller sees of what a version changes: the fields that they see of the items themselves.
import type { Engine } from '../engine.ts'
import type { Given } from '../plan/payload.ts'
import { type Collection, isToMany } from '../schema/model.ts'
import { isRecord } from '../values/record.ts'

/** `collection`: as it is, not as it is seen. */
export function seenDelta(collection: Collection, delta: Given, engine: Engine): Given {
  const limits = engine.narrowing?.limits
  return limits ? partSeen(collection, delta, limits.seen.of) : delta
}

type SeenOf = ReadonlyMap<Collection, Collection>

function partSeen(collection: Collection, given: Given, seenOf: SeenOf): Given {
  const seen = seenOf.get(collection)
  if (!seen) return {}
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const field = collection.fields.get(name)
      if (!field || !seen.fields.has(name)) return []
      if (field.kind === 'scalar') return [[name, value]]
      const target = field.kind === 'any' ? field.targets.get(String(given[field.by.name])) : field.target
      // What belongs to a collection of which nothing is seen is as good as not there.
      if (hasItems(value) && !(target && seenOf.has(target))) return []
      return [[name, isToMany(field) || target ? itemsSeen(value, target, seenOf) : value]]
    }),
  )
}

const hasItems = (value: unknown): boolean =>
  isRecord(value) || (Array.isArray(value) && value.some(isRecord))

/** Items in a value: one, a list of them, or lists of what is created, updated and deleted. */
function itemsSeen(value: unknown, target: Collection | undefined, seenOf: SeenOf): unknown {
  if (!target) return value
  if (Array.isArray(value)) return value.map((one: unknown) => itemsSeen(one, target, seenOf))
  if (!isRecord(value)) return value
  const isParts = Object.entries(value).every(([part, list]) => parts.has(part) && Array.isArray(list))
  if (!isParts || Object.keys(value).length === 0) return partSeen(target, value, seenOf)
  return Object.fromEntries(
    Object.entries(value).map(([part, list]) => [part, itemsSeen(list, target, seenOf)]),
  )
}

const parts: ReadonlySet<string> = new Set(['create', 'update', 'delete'])
