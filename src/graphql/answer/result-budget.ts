// The bytes of an answer, counted as the texts of its fields arrive: the bound of one list would otherwise hold for each of them anew.
import { tooManyBytes } from '../../errors/too-many-bytes.ts'
import type { Limits } from '../../query/limits.ts'

export class ResultBudget {
  readonly #limits: Pick<Limits, 'answerBytes'>
  #counted = 0
  /** Texts that are too short to be counted yet. A sign takes three bytes at most. */
  #short: { readonly text: string; readonly times: number }[] = []
  #maxOfShort = 0

  constructor(limits: Pick<Limits, 'answerBytes'>) {
    this.#limits = limits
  }

  /** Refuses what is still to be read once there is too much. */
  check(): void {
    if (this.#counted > this.#limits.answerBytes) throw tooManyBytes(this.#limits)
  }

  /** Takes one text alone for too much. */
  exceed(): void {
    this.#counted = Number.POSITIVE_INFINITY
  }

  /** Counts a text, as often as it stands in the answer. */
  take(text: string, times = 1): void {
    this.note(text, times)
    this.check()
  }

  /** Counts a text that is answered in any case, such as that of what is stored already. */
  note(text: string, times = 1): void {
    this.#short.push({ text, times })
    this.#maxOfShort += 3 * times * text.length
    if (this.#counted + this.#maxOfShort <= this.#limits.answerBytes) return
    for (const one of this.#short) this.#counted += one.times * Buffer.byteLength(one.text)
    this.#short = []
    this.#maxOfShort = 0
  }
}
