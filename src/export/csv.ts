// CSV: tables of comma-separated values (RFC 4180).

import { unreachable } from '../errors/errors.ts'
import type { ComparedValue } from '../plan/filter/predicate.ts'
import type { AggregateColumn, Group, ListPlan, Member } from '../plan/read/read-plan.ts'
import { familyRow } from '../types/families.ts'
import type { ColumnKind } from '../types/family-row.ts'
import { isRecord } from '../values/guards.ts'
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

// Columns of a list as a table. They follow from its plan, so they do not depend on its rows, and exist without any.
interface ExportColumn {
  /** Path of its value in an item: `['author', 'name']`. */
  readonly names: readonly string[]
  readonly kind: ColumnKind
}

/** Returns the columns of a list. Targets of many-to-one fields have columns of their own. Anything else with more than one value is
 *  JSON. */
function columnsOf({ rows }: ListPlan): readonly ExportColumn[] {
  if (rows.kind === 'keys') throw unreachable('the root is a list of items or of groups')
  return rows.kind === 'items'
    ? rows.members.flatMap((member) => columnsIn(member, []))
    : [...rows.groups.map(groupColumn), ...rows.aggregates.map(aggregateColumn)]
}

function columnsIn(member: Member, above: readonly string[]): readonly ExportColumn[] {
  const names = [...above, member.name]
  if (member.kind === 'value') return [{ names, kind: kindOf(member.subject) }]
  if (member.kind === 'constant') return [{ names, kind: 'text' }]
  if (member.kind === 'one' || member.kind === 'group')
    return member.members.flatMap((inner) => columnsIn(inner, names))
  return [{ names, kind: 'json' }]
}

const groupColumn = ({ names, value }: Group): ExportColumn => ({ names, kind: kindOf(value.subject) })

/** Returns the column of an aggregate. Minimum and maximum have the type of their field; all other aggregates are numbers. */
const aggregateColumn = ({ names, subject }: AggregateColumn): ExportColumn => ({
  names,
  kind: subject ? kindOf(subject) : 'number',
})

function kindOf({ type }: ComparedValue): ColumnKind {
  return type.isArray ? 'json' : familyRow(type.family).exportKind
}
