// Where our answers differ from those that the service gave: the decision, and the requests that it is about.
import { jsonLines } from '../support/json-lines.ts'

export interface AnswerDeviation {
  /** The decision, in a sentence. */
  readonly decision: string
  readonly ids: readonly string[]
}

export const answerDeviations = jsonLines<AnswerDeviation>('graphql/fixture/answers.differences.jsonl')
