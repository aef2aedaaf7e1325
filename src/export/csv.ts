// CSV: tables of comma-separated values (RFC 4180).

import type { ColumnKind } from '../types/family-row.ts'
import { isRecord } from '../values/guards.ts'
import { columnsOf } from './columns.ts'
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

/** Returns the value at a path. Without the target of a relation it is null. */
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

// Not every database ensures that a numeric column holds only numbers.
const isNumber = (text: string): boolean => Number.isFinite(Number(text))

// Without quotes the empty text would be no value, and some readers trim blanks.
const quoted = (text: string): string =>
  text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Escapes formulas: a spreadsheet evaluates text that begins like one, and a formula may call programs and leak other cells. */
const guarded = (text: string): string => (beginnings.has(text.charAt(0)) ? `'${text}` : text)

const beginnings = new Set('=+-@\t\r\n\0＝＋－＠')
