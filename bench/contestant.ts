import type { Turn, WorkloadName } from './workloads.ts'

/** One way to answer a workload: objects in Quernel's shape, or JSON text of them. */
export type Form = (turn: Turn) => unknown

/** The forms of each workload, by name. */
export type Forms = Partial<Readonly<Record<WorkloadName, Readonly<Record<string, Form>>>>>

/** Whoever takes part, with connections of its own. */
export interface Party {
  readonly name: string
  readonly objects: Forms
  /** The same answers as JSON text that the database writes. */
  readonly texts?: Forms
  /** The same, of objects that Node makes text of. */
  readonly stringified?: Forms
  close(): unknown
}
