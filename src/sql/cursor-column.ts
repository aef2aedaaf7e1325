import type { Reading } from '../dialects/phrase-types.ts'
import type { CursorMember } from '../plan/read/read-plan.ts'
import { cursorOf } from '../query/cursor.ts'
import type { Frame } from './frame.ts'
import { bookmarkOf } from './page/keyset.ts'
import { keysOf } from './page/order-keys.ts'

/** The order keys of a row as JSON, which become a token where they are read. */
export function cursorReading({ mark, order, isKey }: CursorMember, frame: Frame): Reading {
  const { dialect } = frame.setting
  const json = dialect.jsonArray(
    keysOf({ order }, frame).map(({ column }) => bookmarkOf(column, dialect).cut),
  )
  const read = (list: unknown) => cursorOf({ mark, values: textsIn(list) }, isKey)
  return { column: { sql: dialect.jsonText(json), read }, element: { sql: json, read } }
}

/** Reads a list of JSON, which is text in a column of a row. */
function textsIn(json: unknown): readonly (string | null)[] {
  const list: unknown = typeof json === 'string' ? JSON.parse(json) : json
  return Array.isArray(list) ? list.map((value) => (value === null ? null : String(value))) : []
}
