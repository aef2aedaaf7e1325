// Pieces of SQL. A piece is flat, so that a condition of a hundred parts is written by appending, and becomes
// one node for Kysely in the end: nodes for each part, frozen and visited one by one, take four times as long.
import type { Expression, IdentifierNode, RawNode, ValueNode } from 'kysely'

/** Text with values between its parts: there is one text more than there are values.
 *  @example sql`a = ${sql.val(1)}`.texts // → ['a = ', ''] */
export class Sql {
  declare readonly texts: readonly string[]
  declare readonly values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts
    this.values = values
  }
}

/** A value that is the answer to a question of the request, encoded for the driver. The next request of the
 *  same shape has another answer to the same question. */
export class DeferredValue {
  readonly openValue: object
  readonly answer: unknown
  readonly #encode: (answer: unknown) => unknown

  constructor(openValue: object, answer: unknown, encode: (answer: unknown) => unknown) {
    this.openValue = openValue
    this.answer = answer
    this.#encode = encode
  }

  valueFor(answer: unknown): unknown {
    return this.#encode(answer)
  }
}

/** A piece in one of two forms: the plain one, and a careful one that works for every value of a column. */
class Either {
  readonly plain: Sql
  readonly lossless: Sql

  constructor(plain: Sql, lossless: Sql) {
    this.plain = plain
    this.lossless = lossless
  }
}

/** Columns on which a piece relies: no two rows of the table have the same values of them. */
export interface ReliedColumns {
  readonly table: { readonly name: string; readonly table: string; readonly dbSchema: string | undefined }
  readonly columns: readonly string[]
  /** The relation that says so, as messages name it. */
  readonly relation: string
}

/** A mark in a piece. It writes nothing. */
class Reliance {
  readonly on: ReliedColumns

  constructor(on: ReliedColumns) {
    this.on = on
  }
}

/** True if a piece has a careful form. */
export const isCautious = ({ values }: Sql): boolean => values.some((value) => value instanceof Either)

/** The piece in one of its two forms. */
const decided = (piece: Sql, way: 'plain' | 'lossless'): Sql =>
  isCautious(piece)
    ? replaced(piece, (value) => (value instanceof Either ? decided(value[way], way) : sql.val(value)))
    : piece

/** The piece with other pieces in the place of its values. */
function replaced(piece: Sql, pieceFor: (value: unknown) => Sql): Sql {
  const texts = [piece.texts[0] ?? '']
  const values: unknown[] = []
  const append = ({ texts: [first = '', ...others], values: more }: Sql) => {
    texts.push(`${texts.pop() ?? ''}${first}`, ...others)
    values.push(...more)
  }
  for (const [index, value] of piece.values.entries()) {
    append(pieceFor(value))
    append(raw(piece.texts[index + 1] ?? ''))
  }
  return new Sql(texts, values)
}

/** The piece with other pieces in the place of its deferred values. */
export const withDeferred = (piece: Sql, pieceFor: (value: DeferredValue) => Sql): Sql =>
  replaced(piece, (value) => {
    if (value instanceof DeferredValue) return pieceFor(value)
    if (!(value instanceof Either)) return sql.val(value)
    return sql.either(withDeferred(value.plain, pieceFor), withDeferred(value.lossless, pieceFor))
  })

/** The piece with its deferred values, which are numbers, in its text. */
export const withNumbers = (piece: Sql): Sql =>
  withDeferred(piece, (value) => sql.lit(Number(value.valueFor(value.answer))))

export const driverValues = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (value instanceof DeferredValue ? value.valueFor(value.answer) : value))

/** A name in the host's own query. It is not plain text, because the host's plugins may change how its names
 *  are written. */
class HostName {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Writes a piece from text and other pieces. Only pieces can be inserted, so no value gets into the text by mistake. */
export function write(strings: TemplateStringsArray, ...pieces: readonly Sql[]): Sql {
  const texts: string[] = []
  const values: unknown[] = []
  let open = strings[0] ?? ''
  let index = 0
  for (const piece of pieces) {
    let position = 0
    open += piece.texts[0] ?? ''
    for (const value of piece.values) {
      texts.push(open)
      values.push(value)
      position++
      open = piece.texts[position] ?? ''
    }
    index++
    open += strings[index] ?? ''
  }
  texts.push(open)
  return new Sql(texts, values)
}

/** Text that is SQL already: the engine's own constants, and quoted names. */
const raw = (text: string): Sql => new Sql([text], [])

/** Writes pieces of SQL: a template tag, with functions for values, names and constants.
 *  @example sql`lower(${sql.raw('name')}) = ${sql.val('tea')}`.values // → ['tea'] */
export const sql = /* @__PURE__ */ Object.assign(write, {
  raw,
  /** A constant of the engine, written into the text. */
  lit: (value: string | number): Sql =>
    raw(typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`),
  /** The column of a select list by position, the first being 1. */
  place: (place: number): Sql => raw(String(place)),
  /** A bound value. */
  val: (value: unknown): Sql => new Sql(['', ''], [value]),
  /** A plain piece, and a careful one that is slower and works for every value of a column. */
  either: (plain: Sql, lossless: Sql): Sql => new Sql(['', ''], [new Either(plain, lossless)]),
  /** A mark that the piece relies on columns of which no two rows have the same values. */
  relying: (on: ReliedColumns): Sql => new Sql(['', ''], [new Reliance(on)]),
  /** A name of the host's. */
  host: (name: string): Sql => new Sql(['', ''], [new HostName(name)]),
  /** A repeated piece, with values of its own each time. */
  repeat: ({ texts, values }: Sql, times: number, between: string): Sql => {
    const [first = '', ...others] = texts
    const last = others.at(-1) ?? ''
    const all = [first]
    for (let round = 0; round < times; round++) {
      all.push(...others.slice(0, -1), round < times - 1 ? `${last}${between}${first}` : last)
    }
    return new Sql(all, Array.from({ length: times }, () => values).flat())
  },
  join: (pieces: readonly Sql[], between: Sql): Sql =>
    pieces.reduce((all, piece, index) => (index === 0 ? piece : write`${all}${between}${piece}`), raw('')),
})

/** A name in double quotes, as standard SQL writes it. */
export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const identifier = (name: string): Sql => sql.raw(quotedName(name))

/** The piece as an expression for a query of Kysely's. Its nodes are plain data, so nothing of Kysely is loaded. */
export function toExpression<Type>(piece: Sql): Expression<Type> {
  // The database is not queried before the host's own query.
  const { texts, values } = replaced(decided(piece, 'plain'), (value) =>
    value instanceof Reliance ? raw('') : sql.val(value),
  )
  const node: RawNode = { kind: 'RawNode', sqlFragments: texts, parameters: driverValues(values).map(toNode) }
  return { expressionType: undefined, toOperationNode: () => node }
}

const toNode = (value: unknown): IdentifierNode | ValueNode =>
  value instanceof HostName ? { kind: 'IdentifierNode', name: value.name } : { kind: 'ValueNode', value }

/** The piece as text and values, of which some may be late. */
export function render(
  piece: Sql,
  writing: { readonly placeholder: (position: number) => string; readonly identifier: (name: string) => Sql },
  way: 'plain' | 'lossless' = 'plain',
): {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly relies?: readonly ReliedColumns[]
} {
  const { texts, values } = decided(piece, way)
  const parameters: unknown[] = []
  const relies = new Set<ReliedColumns>()
  let text = texts[0] ?? ''
  for (const [index, value] of values.entries()) {
    if (value instanceof HostName) text += writing.identifier(value.name).texts[0] ?? ''
    else if (value instanceof Reliance) relies.add(value.on)
    else text += writing.placeholder(parameters.push(value))
    text += texts[index + 1] ?? ''
  }
  return relies.size === 0 ? { sql: text, parameters } : { sql: text, parameters, relies: [...relies] }
}
