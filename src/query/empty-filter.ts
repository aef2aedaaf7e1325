import type { FilterNode } from './query.ts'

/** True if a filter has any condition. Empty objects, empty lists of branches, and lists that exclude nothing have none. */
export function hasCondition(filter: FilterNode): boolean {
  return Object.entries(filter).some(([key, value]) => {
    if (key === '_nin') return !(Array.isArray(value) && value.length === 0)
    if (key === '_and' || key === '_or') return Array.isArray(value) && value.some(isConditional)
    return isConditional(value)
  })
}

function isConditional(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true
  // An object inside a filter is a filter itself, or a geometry, which is never empty.
  return hasCondition(value as FilterNode)
}
