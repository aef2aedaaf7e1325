import type { Drawing } from './drawing.ts'

/** Who comes after whom is drawn anew for each round, because one has the garbage of the one before to bear. */
export const shuffled = <Item>(items: readonly Item[], { below }: Drawing): readonly Item[] =>
  items
    .map((item) => ({ item, place: below(1_000_000) }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
