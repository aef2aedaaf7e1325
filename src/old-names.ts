// Old names of types. They are aliases for this version and go with the next.

/** @deprecated `Hook`, `HookEvent` and `ItemChange` are their names. */
export type { HookEvent as Happening, ItemChange as Change } from './engine/events.ts'
export type { Hook as Handler } from './engine/hooks.ts'
/** @deprecated `FilterContext` is its name. */
export type { FilterContext as Occasion } from './filters/filter-source.ts'
/** @deprecated `DeleteResult` is its name. */
export type { DeleteResult as Deletion } from './items/delete.ts'
/** @deprecated `CheckedQuery` is its name. */
export type { CheckedQuery as Asked } from './items/types/checked-query.ts'
/** @deprecated `UpdateResult` is its name. */
export type { UpdateResult as Updating } from './items/write/update-by-query.ts'
