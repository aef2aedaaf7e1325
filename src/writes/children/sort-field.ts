// Order of children in their relation.
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { StoredField, ToMany } from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import type { Holder } from '../stored/rows-by-key.ts'

/** True if an item is new and has no position. */
export const hasNoPlace = ({ action, values }: ItemWrite, sort: StoredField): boolean =>
  action === 'create' && (values.get(sort) ?? null) === null

/** Returns the last of some positions; 0 if there is none. */
export const lastOf = (positions: readonly (Storable | null)[]): bigint =>
  positions.reduce<bigint>((last, one) => (typeof one === 'bigint' && one > last ? one : last), 0n)

/** Numbers new children behind the existing ones, if the relation has an order. */
export function numberNew({ sort }: ToMany, items: readonly ItemWrite[], there: readonly Holder[]): void {
  if (sort?.value.family !== 'integer') return
  let last = lastOf([
    ...there.map(({ other }) => other),
    ...items.map(({ values }) => values.get(sort) ?? null),
  ])
  for (const item of items) {
    if (!hasNoPlace(item, sort)) continue
    last += 1n
    item.values.set(sort, last)
  }
}
