import type { ListPlan } from '../plan/read/read-plan.ts'

export interface FileWriter {
  readonly begin: string
  readonly item: (item: unknown, index: number) => string
  /** Writes the end. `count`: the number of items. */
  readonly end: (count: number) => string
}

export interface RowSource {
  /** Plan of the list, from which the members of every item are known. */
  readonly list: ListPlan
  readonly guardsFormulas: boolean
}
