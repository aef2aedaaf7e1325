import type { WrittenValues } from '../../sql/write/insert-statement.ts'
import type { Storable } from '../../types/family-row.ts'
/** Groups items, in the order of their first occurrence. */
export function groupBy<Item, Group>(
  items: readonly Item[],
  groupOf: (item: Item) => Group,
): ReadonlyMap<Group, readonly Item[]> {
  const groups = new Map<Group, Item[]>()
  for (const item of items) {
    const group = groupOf(item)
    const known = groups.get(group)
    if (known) known.push(item)
    else groups.set(group, [item])
  }
  return groups
}

/** Returns the same text for equal values of equal fields. */
export function valuesText(values: WrittenValues): string {
  return [...values].map(([{ name }, value]) => `${name}=${typeof value} ${plainText(value)}`).join('\n')
}

const plainText = (value: Storable | null) =>
  JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one))
