// Columns of a list as a table. They follow from its plan, so they do not depend on its rows, and exist without any.

import { unreachable } from '../errors/errors.ts'
import type { ComparedValue } from '../plan/filter/predicate.ts'
import type { AggregateColumn, Group, ListPlan, Member } from '../plan/read/read-plan.ts'
import { familyRow } from '../types/families.ts'
import type { ColumnKind } from '../types/family-row.ts'

export interface ExportColumn {
  /** Path of its value in an item: `['author', 'name']`. */
  readonly names: readonly string[]
  readonly kind: ColumnKind
}

/** Returns the columns of a list. Targets of many-to-one fields have columns of their own. Anything else with more than one value is
 *  JSON. */
export function columnsOf({ rows }: ListPlan): readonly ExportColumn[] {
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
