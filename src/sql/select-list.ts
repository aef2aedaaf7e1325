import type { Dialect } from '../dialects/dialect.ts'
import type { Cell, Reading } from '../dialects/phrase-types.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import type { CellRecipe, Nested, Recipe } from './recipe.ts'

export class SelectList {
  readonly #place: 'column' | 'element'
  readonly #all: Sql[] = []
  readonly #positions = new Map<Sql, number>()

  /** Positions of JSON texts. */
  readonly texts: number[] = []
  readonly #cut: ((text: Sql) => Sql) | undefined

  /** `cut`: replaces a text that is too long. */
  constructor(place: 'column' | 'element', cut?: (text: Sql) => Sql) {
    this.#place = place
    this.#cut = cut
  }

  get length(): number {
    return this.#all.length
  }

  /** Adds a piece of SQL and returns its position. The same piece is selected once. */
  add(piece: Sql): number {
    const known = this.#positions.get(piece)
    if (known !== undefined) return known
    const position = this.#all.push(piece) - 1
    this.#positions.set(piece, position)
    return position
  }

  value(reading: Reading): CellRecipe {
    const cell: Cell = reading[this.#place]
    return { kind: 'cell', at: this.add(cell.sql), read: cell.read, isRare: cell.isRare }
  }

  /** Adds a cell with JSON: as a column of a row it is text. */
  json(piece: Sql, dialect: Dialect): number {
    if (this.#place === 'element') return this.add(piece)
    const text = dialect.jsonText(piece)
    const at = this.add(this.#cut?.(text) ?? text)
    this.texts.push(at)
    return at
  }

  /** The select list as columns `a as "0", b as "1"`: with positions for names, a row of a driver is read like
   *  an array, whether it is one or not. */
  columns(dialect: Dialect): Sql {
    // An item without any visible field is still an item, and SQLite refuses an empty select list.
    if (this.#all.length === 0) return sql`null as ${dialect.identifier('0')}`
    const named = this.#all.map((piece, index) => sql`${piece} as ${dialect.identifier(String(index))}`)
    return sql.join(named, sql`, `)
  }

  /** The select list as one JSON array; as an array of arrays if it is longer than one function call takes. */
  array(dialect: Dialect, recipe: Recipe): { readonly sql: Sql; readonly row: Nested } {
    const isChunked = this.#all.length > maxElements
    if (!isChunked) return { sql: dialect.jsonArray(this.#all), row: { recipe, isBare: false, isChunked } }
    const chunks: Sql[] = []
    for (let from = 0; from < this.#all.length; from += maxElements)
      chunks.push(dialect.jsonArray(this.#all.slice(from, from + maxElements)))
    return { sql: dialect.jsonArray(chunks), row: { recipe, isBare: false, isChunked } }
  }
}

/** PostgreSQL takes a hundred arguments of a function, and older builds of SQLite 127. */
const maxElements = 100
