import type { Form } from '../contestant.ts'
import type { DocumentWorkload } from '../workloads.ts'

/** Workloads that all answer with the same JSON. */
export type AskedWorkload = Exclude<DocumentWorkload, 'DN' | 'DF'>

/** A party that answers documents as JSON text, and how it does so. */
export interface DocumentParty {
  readonly name: string
  readonly form: string
  readonly answers: Partial<Readonly<Record<AskedWorkload, Form>>>
  close(): unknown
}
