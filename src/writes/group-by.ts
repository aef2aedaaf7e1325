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
