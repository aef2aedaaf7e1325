// The bytes of a result, counted as its rows arrive: a statement says how many it may have.
import { boundOf } from '../../dialects/connections/statement-mark.ts'
import { tooManyBytes } from '../../errors/too-many-bytes.ts'

/** Signs of a value that is counted as it is: to look at each of many short ones takes longer than to read it. */
const short = 64

export class ArrivingBytes {
  readonly #bound: number
  #counted = 0

  constructor(statement: string) {
    this.#bound = boundOf(statement)
  }

  /** Adds a row. Rows behind those that are too many are read from the connection and not kept, so that the next statement can use it. */
  add(fields: readonly (string | null)[]): void {
    if (this.#bound === Number.POSITIVE_INFINITY) return
    for (const field of fields)
      if (field) this.#counted += field.length > short ? Buffer.byteLength(field) : field.length
    if (this.#counted > this.#bound) throw tooManyBytes({ answerBytes: this.#bound })
  }
}
