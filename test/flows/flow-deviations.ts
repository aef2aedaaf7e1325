// Where our flows answer otherwise than recorded ones: the decision, and the cases that it is about.
import { jsonLines } from '../support/json-lines.ts'

interface FlowDeviation {
  /** The decision, in a sentence. */
  readonly decision: string
  readonly names: readonly string[]
}

export const flowDeviations = jsonLines<FlowDeviation>('flows/recorded-flows.differences.jsonl')
