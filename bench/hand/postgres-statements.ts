import pg from 'pg'

type Ask = <Row>(sql: string) => (...values: unknown[]) => Promise<Row[]>

export interface Database {
  /** A statement whose rows are objects. */
  readonly objects: Ask
  /** A statement whose rows are arrays. */
  readonly arrays: Ask
  /** The same, with timestamps as the text that the server sends. */
  readonly uncut: Ask
  /** A statement of one text. */
  readonly text: (sql: string) => (...values: unknown[]) => Promise<string>
}

/** Statements that are named on each connection, with moments as text. */
export function asking(pool: pg.Pool): Database {
  let named = 0
  const statement = (text: string, own = types) => ({ name: `hand_${named++}`, text, types: own })
  const arraysBy =
    (types: pg.CustomTypesConfig): Ask =>
    <Row>(sql: string) => {
      const query = { ...statement(sql, types), rowMode: 'array' as const }
      // The driver knows arrays of anything; what is in them, the SQL says.
      return async (...values: unknown[]) => (await pool.query({ ...query, values })).rows as Row[]
    }
  return {
    objects: (sql) => {
      const query = statement(sql)
      return async (...values) => (await pool.query({ ...query, values })).rows
    },
    arrays: arraysBy(types),
    uncut: arraysBy(textTypes),
    text: (sql) => {
      const query = { ...statement(sql), rowMode: 'array' as const }
      return async (...values) => String((await pool.query({ ...query, values })).rows[0]?.[0])
    },
  }
}

const timestamptz = 1184
const json = 114
const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => {
    if (id === timestamptz) return isoOf
    // Text that is handed on, or read by the form itself.
    return id === json ? asItIs : pg.types.getTypeParser(id, format)
  },
}
const textTypes: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => (id === timestamptz ? asItIs : types.getTypeParser(id, format)),
}
const asItIs = (text: string) => text

/** `2024-01-31 08:00:00.5+00`, or the same without an offset as JSON has it, as `2024-01-31T08:00:00.500Z`. */
export function isoOf(text: string): string {
  const end = text.endsWith('+00') ? text.length - 3 : text.length
  const fraction = end > 20 ? text.slice(20, end) : ''
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`
}
