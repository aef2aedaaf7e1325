// What sockets hear of this service, where it decides otherwise than the one that was recorded.
import { jsonLines } from '../support/json-lines.ts'

interface Deviation {
  readonly name: string
  /** Why it is so. */
  readonly because: string
  /** Frames without the texts of errors. */
  readonly heard: readonly unknown[]
}

export const transcriptDeviations: ReadonlyMap<string, Deviation> = new Map(
  jsonLines<Deviation>('realtime/fixture/transcripts.differences.jsonl').map((one) => [one.name, one]),
)
