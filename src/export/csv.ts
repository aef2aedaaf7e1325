// Tables of comma-separated values, as RFC 4180 describes them.
import { isRecord } from '../values/record.ts'
import { type ColumnKind, columnsOf } from './columns.ts'
import type { FileWriter, RowSource } from './writer.ts'

export function csvWriter({ list, guardsFormulas }: RowSource): FileWriter {
  const columns = columnsOf(list)
  const shield = guardsFormulas ? guarded : (text: string) => text
  return {
    begin: line(columns.map(({ names }) => quoted(shield(names.join('.'))))),
    item: (item) => line(columns.map(({ names, kind }) => cell(valueAt(item, names), kind, shield))),
    end: () => '',
  }
}

const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

/** Where there is no target of a relation, there is nothing of it either. */
function valueAt(item: unknown, names: readonly string[]): unknown {
  let value = item
  for (const name of names) value = isRecord(value) ? value[name] : null
  return value
}

function cell(value: unknown, kind: ColumnKind, shield: (text: string) => string): string {
  if (value === null || value === undefined) return ''
  if (kind === 'json') return quoted(JSON.stringify(value))
  const text = String(value)
  return quoted(typeof value !== 'string' || (kind === 'number' && isNumber(text)) ? text : shield(text))
}

// Not every database sees to it that a column of numbers holds nothing else.
const isNumber = (text: string): boolean => Number.isFinite(Number(text))

// Without quotes the empty text would be no value, and some readers cut blanks off.
const quoted = (text: string): string =>
  text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** A spreadsheet computes what begins like a formula, and a formula may call programs and send what stands in other cells away. */
const guarded = (text: string): string => (beginnings.has(text.charAt(0)) ? `'${text}` : text)

const beginnings = new Set('=+-@\t\r\n\0＝＋－＠')
