// The elements of a JSON array, taken a few at a time: a list of a million short texts takes ten times its text as values.

export class JsonElements {
  readonly #text: string
  #at: number

  /** `text`: an array, as a database writes it. */
  constructor(text: string) {
    this.#text = text
    this.#at = text.indexOf('[') + 1
  }

  /** Returns the next elements, as many as said or those that are left. */
  take(most: number): readonly unknown[] {
    const from = this.#at
    const end = this.#endOf(most)
    this.#at = end + 1
    return JSON.parse(`[${this.#text.slice(from, end)}]`)
  }

  /** Returns where so many elements end: at a comma, or at the end of the array. */
  #endOf(most: number): number {
    let depth = 0
    let passed = 0
    for (let at = this.#at; at < this.#text.length; at++) {
      const sign = this.#text.charCodeAt(at)
      if (sign === quote) at = this.#endOfText(at)
      else if (opening.has(sign)) depth++
      else if (closing.has(sign) && depth-- === 0) return at
      else if (sign === comma && depth === 0 && ++passed === most) return at
    }
    return this.#text.length
  }

  /** Returns where a text in quotes ends. */
  #endOfText(start: number): number {
    let at = start + 1
    while (at < this.#text.length && this.#text.charCodeAt(at) !== quote)
      at += this.#text.charCodeAt(at) === backslash ? 2 : 1
    return at
  }
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c]
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d])
