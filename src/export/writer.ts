import type { ListPlan } from '../plan/read-plan.ts'

/** How a format writes a file, item by item. */
export interface FileWriter {
  readonly begin: string
  readonly item: (item: unknown, index: number) => string
  /** Told how many items there were. */
  readonly end: (count: number) => string
}

/** What a file is made of. */
export interface RowSource {
  /** The plan of its list, from which it is known what every item holds. */
  readonly list: ListPlan
  readonly guardsFormulas: boolean
}
