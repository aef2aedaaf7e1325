import { isRecord } from '../../values/guards.ts'
import { leadsTo, type RelationContext } from './leads-to.ts'
import { asksOfOneChild } from './one-child.ts'

/** Returns a to-many relation that several joined conditions use, if there is one. The service applies them to the same item. */
export function sharedPath(conditions: readonly unknown[], context: RelationContext): string | undefined {
  const seen = new Set<string>()
  for (const condition of conditions) {
    const paths = new Set(pathsIn(condition, context, []))
    for (const path of paths) if (seen.has(path)) return path
    for (const path of paths) seen.add(path)
  }
  return undefined
}

/** Returns the to-many relations that a condition follows without `_some` or `_none`. */
function pathsIn(condition: unknown, context: RelationContext, above: readonly string[]): readonly string[] {
  if (!isRecord(condition)) return []
  return Object.entries(condition).flatMap(([key, value]) => {
    if (Array.isArray(value)) return value.flatMap((branch: unknown) => pathsIn(branch, context, above))
    if (key.startsWith('_') || !isRecord(value)) return []
    const next = leadsTo(key, context)
    if (!next) return []
    const path = [...above, key]
    const isFollowed = next.isMany && Object.entries(value).some(asksOfOneChild)
    const below = pathsIn(value, { ...context, collection: next.collection }, path)
    return isFollowed ? [path.join('.'), ...below] : below
  })
}
