// The length of lists that come from outside. A host's own code may write longer ones, whose rows are written in batches.
import type { EngineInternals } from '../../engine/engine.ts'
import { fault, type Path } from '../../errors/errors.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import type { Limits } from '../../query/limits.ts'
import { type Collection, type Field, isToMany } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { memoFor } from '../../values/memo.ts'
import { writtenFields } from './writable-fields.ts'

/** Refuses a list of items, or of keys, before anything is made of its elements. What is no list is checked elsewhere. */
export function refuseLong(list: unknown, { listOperand: most }: Limits, path: Path = []): void {
  if (!Array.isArray(list) || list.length <= most) return
  throw fault('INVALID_PAYLOAD', `A list has at most ${most} elements; this one has ${list.length}.`, {
    path,
    hint: 'Send several lists.',
  })
}

/** Refuses such lists of payloads of a collection, and in them, at any depth. Of what the caller may not write, the call says so. */
export function refuseLongIn(
  engine: EngineInternals,
  collection: Collection | undefined,
  payloads: unknown,
  path: Path,
): void {
  refuseLong(payloads, engine.limits, path)
  if (!collection || relationsOf(collection).length === 0) return
  if (isRecord(payloads)) refuseWithin(engine, collection, payloads, path)
  else if (Array.isArray(payloads))
    for (const [index, one] of payloads.entries())
      if (isRecord(one)) refuseWithin(engine, collection, one, [...path, index])
}

/** A call refuses by itself what is nested deeper than that. */
const mostLevels = 100

function refuseWithin(engine: EngineInternals, collection: Collection, item: ItemData, path: Path): void {
  if (path.length > 4 * mostLevels) return
  for (const field of relationsOf(collection)) {
    const { name } = field
    const { [name]: value } = item
    if (typeof value !== 'object' || value === null || !isWritable(engine, collection, name)) continue
    const target = targetIn(field, item)
    const isDetailed = isToMany(field) && isRecord(value)
    for (const [part, list] of isDetailed ? Object.entries(value) : [['', value] as const])
      refuseLongIn(engine, target, list, part === '' ? [...path, name] : [...path, name, part])
  }
}

const isWritable = (engine: EngineInternals, collection: Collection, name: string): boolean =>
  (['create', 'update'] as const).some((action) => writtenFields(engine, collection, action).fields.has(name))

/** The collection of the items that a payload has in a relation. */
const targetIn = (field: Field, item: ItemData): Collection | undefined =>
  field.kind === 'any'
    ? field.targets.get(String(item[field.by.name]))
    : 'target' in field
      ? field.target
      : undefined

const relations = new WeakMap<Collection, readonly Field[]>()

const relationsOf = (collection: Collection): readonly Field[] =>
  memoFor(relations, collection, () =>
    [...collection.fields.values()].filter((field) => field.kind === 'any' || 'target' in field),
  )
