// What the author of a flow may see and change of the items that others write.
import type { Action } from '../../access/access.ts'
import type { RuleRead } from '../../access/rules.ts'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { eachChild } from '../../plan/write/mask-secrets.ts'
import { type Collection, type Field, isToMany, keyFieldsOf } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { seenAmong } from '../operations/chosen-items.ts'
import type { AuthorLimits } from './trigger-value.ts'

/** Returns what the author of a flow sees and may write of the items of a collection. `action`: undefined if nothing is to be written. */
export function limitsOf(
  engine: Engine,
  collection: Collection,
  action: 'create' | 'update' | undefined,
): AuthorLimits {
  const seen = fieldsSeen(engine, collection.name)
  const rules = action ? rulesFor(engine, collection.name, action) : []
  // Those of any row, and with any value.
  const open = rules?.filter(({ filter, validation }) => !filter && !validation)
  return {
    seen,
    writable: open && new Set(open.flatMap(({ fields }) => [...fields])),
    isKeySeen: !seen || !collection.key || keyFieldsOf(collection).every(({ name }) => seen.has(name)),
    shown: (payload) => seenPayload(engine, collection, payload),
  }
}

/** Returns the rules for an action; undefined if everything is allowed. */
function rulesFor(engine: Engine, collection: string, action: Action): readonly RuleRead[] | undefined {
  const permissions = internalsOf(engine).scope?.permissions
  if (!permissions) return undefined
  const whole = permissions.whole.collections.get(collection)
  return (whole && permissions.grants.get(whole)?.[action]) ?? []
}

/** True if every row of a collection is seen. */
export function seesAll(engine: Engine, collection: string): boolean {
  const rules = rulesFor(engine, collection, 'read')
  return !rules || rules.some(({ filter }) => !filter)
}

/** True if the items with some keys are all seen. */
export async function seesItems(
  engine: Engine,
  collection: string,
  keys: readonly unknown[],
): Promise<boolean> {
  if (seesAll(engine, collection)) return true
  const rules = rulesFor(engine, collection, 'read')
  if (rules?.length === 0) return false
  for await (const { count, seen } of seenAmong(engine, collection, keys))
    if (seen.length < count) return false
  return true
}

/** Returns the names of the fields that are seen on every row that is; undefined for all. */
function fieldsSeen(engine: Engine, collection: string): ReadonlySet<string> | undefined {
  const rules = rulesFor(engine, collection, 'read')
  if (!rules) return undefined
  const [first, ...others] = rules
  const everywhere = [...(first?.fields ?? [])].filter((name) =>
    others.every(({ fields }) => fields.has(name)),
  )
  return new Set([
    ...everywhere,
    ...rules.filter(({ filter }) => !filter).flatMap(({ fields }) => [...fields]),
  ])
}

/** Returns what is seen of a payload. Of related items something is seen only where all of them are. */
function seenPayload(engine: Engine, collection: Collection, payload: ItemData): ItemData {
  const seen = fieldsSeen(engine, collection.name)
  return Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]) => {
      if (seen && !seen.has(name)) return []
      const shown = seenValue(engine, collection.fields.get(name), value, payload)
      return shown === undefined ? [] : [[name, shown]]
    }),
  )
}

function seenValue(engine: Engine, field: Field | undefined, value: unknown, item: ItemData): unknown {
  // Fields that lead to what the author never sees are not there for them.
  if (!field) return undefined
  if (field.kind === 'scalar') return value
  if (isToMany(field)) {
    const { target } = field
    return seesAll(engine, target.name)
      ? eachChild(value, (one) => seenPayload(engine, target, one))
      : undefined
  }
  if (!isRecord(value)) return value
  const target = field.kind === 'm2o' ? field.target : field.targets.get(String(item[field.by.name]))
  return target && seesAll(engine, target.name) ? seenPayload(engine, target, value) : undefined
}
