/** Marks in the order in which a query is walked. A text is itself; a number is a kind and the number of marks that belong to it. So equal
 *  marks mean an equal shape, and comparing them takes a fraction of the time of making one text of them. */
export interface QueryShape {
  readonly marks: readonly (string | number)[]
  /** Hash of the marks, seldom equal for different marks. */
  readonly hash: number
}

export function isSameShape({ marks }: QueryShape, other: QueryShape): boolean {
  const { length } = marks
  if (length !== other.marks.length) return false
  for (let index = 0; index < length; index++) if (marks[index] !== other.marks[index]) return false
  return true
}

export class ShapeWriter implements QueryShape {
  readonly marks: (string | number)[] = []
  /** Omitted values, in order. */
  readonly values: unknown[] = []
  hash = 0

  text(text: string): void {
    this.marks.push(text)
    // The length and three letters distinguish most names.
    const { length } = text
    const ends = text.charCodeAt(0) + (text.charCodeAt(length - 1) << 8)
    this.#add(length + (text.charCodeAt(length >> 1) << 16) + ends)
  }

  number(value: number): void {
    this.#mark(kinds.number)
    this.#mark(value)
  }

  constant(value: boolean | null): void {
    this.#mark(value === null ? kinds.null : value ? kinds.true : kinds.false)
  }

  /** Writes the beginning of a list with so many elements. */
  list(length: number): void {
    this.#mark(kinds.list)
    this.#mark(length)
  }

  /** Writes the names of a record; as many values follow. */
  record(names: readonly string[]): void {
    this.#mark(kinds.record)
    this.#mark(names.length)
    for (const name of names) this.text(name)
  }

  /** Writes the mark of an omitted value. */
  hole(place: number, value: unknown): void {
    this.values.push(value)
    this.#mark(kinds.hole)
    this.#mark(place)
  }

  #mark(mark: number): void {
    this.marks.push(mark)
    this.#add(mark)
  }

  #add(number: number): void {
    this.hash = (Math.imul(this.hash, 31) + number) | 0
  }
}

const kinds = { null: 0, false: 1, true: 2, number: 3, list: 4, record: 5, hole: 6 } as const
