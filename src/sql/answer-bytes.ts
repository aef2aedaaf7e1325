// The bytes of the items of a list, before they are read: the same rows and relations, with the length of each value in its place.
import { type Sql, sql } from '../dialects/sql.ts'
import { unreachable } from '../errors/errors.ts'
import { fieldSubject } from '../plan/field-path.ts'
import { mayBeLong } from '../plan/read/answer-bytes.ts'
import type { AnyMember, ListPlan, Member } from '../plan/read/read-plan.ts'
import { shownKey } from '../schema/model.ts'
import { readingOf, tieOf } from './filter.ts'
import { columnOf, type Frame, innerFrame, type Setting } from './frame.ts'
import { type Attached, attachArm, attachOne } from './joins.ts'
import { chosenAhead, membersOf } from './page/chosen-root.ts'
import { choose } from './page/pagination.ts'
import { finished, type Statement } from './statement.ts'

/** Adds up the bytes of a list. Undefined for groups, which are few and short. */
export function bytesStatement(list: ListPlan, setting: Setting): Statement | undefined {
  if (list.rows.kind === 'groups') return undefined
  const chosen = chosenAhead(list, setting, { probe: 0 })
  const bytes = bytesOf(membersOf(list), chosen.frame)
  return finished(
    sql`select coalesce(sum(${bytes}), 0) as ${setting.dialect.identifier('0')} from ${chosen.from()}`,
    setting,
  )
}

export const isLongValue = (member: Member): boolean =>
  member.kind === 'value' && (member.subject.type.isArray || mayBeLong.has(member.subject.type.family))

/** The bytes of an item: of its names, and of its values. */
export function bytesOf(members: readonly Member[], frame: Frame): Sql {
  const all = members.map((member) => bytesOfMember(member, frame))
  return sql`(${countOf(namesOf(members), frame)}${sql.join(
    all.map((bytes) => sql` + ${bytes}`),
    sql``,
  )})`
}

/** Their true lengths are not in the statement, where nothing of a request is to be seen. */
const namesOf = (members: readonly Member[]): number => 2 + usualLength * members.length

function bytesOfMember(member: Member, frame: Frame): Sql {
  switch (member.kind) {
    case 'value': {
      if (!isLongValue(member)) return countOf(usualLength, frame)
      return lengthOf(readingOf(member.subject, frame, member.path).column.sql, frame)
    }
    case 'constant':
      return countOf(member.text.length + 2, frame)
    case 'cursor':
      return countOf(usualCursor, frame)
    case 'group':
      return bytesOf(member.members, frame)
    case 'one':
      return attachedBytes(attachOne(member, frame), member.members)
    case 'any':
      return armBytes(member, frame)
    case 'many':
      return listBytes(member.list, frame)
    default:
      throw unreachable(`a member of kind ${String(member satisfies never)}`)
  }
}

/** Of numbers, moments and keys. */
const usualLength = 12
const usualCursor = 120

const countOf = (bytes: number, { setting: { dialect } }: Frame): Sql => dialect.byteCount(bytes)

const lengthOf = (value: Sql, { setting: { dialect } }: Frame): Sql =>
  sql`coalesce(${dialect.byteLength(value)}, 4)`

const attachedBytes = ({ frame, lookUp }: Attached, members: readonly Member[]): Sql => {
  const bytes = bytesOf(members, frame)
  return lookUp ? sql`coalesce(${lookUp(bytes)}, 4)` : bytes
}

function armBytes({ field, arms }: AnyMember, frame: Frame): Sql {
  const cases = arms.map((arm) => {
    const bytes = attachedBytes(attachArm(field, arm, frame), arm.members)
    return sql` when ${sql.val(arm.target.name)} then ${bytes}`
  })
  return sql`case ${columnOf(frame, field.by.column)}${sql.join(cases, sql``)} else 4 end`
}

/** The bytes of the children of an item. Groups of them count nothing. */
function listBytes(list: ListPlan, outer: Frame): Sql {
  const { rows, children } = list
  if (rows.kind === 'groups' || !children) return countOf(2, outer)
  const table = innerFrame(outer, list.collection)
  const chosen = choose(list, table, tieOf(children, table, outer), { probe: 0, after: undefined })
  const key = shownKey(list.collection)
  const bytes =
    rows.kind === 'items'
      ? bytesOf(rows.members, chosen.frame)
      : key
        ? lengthOf(readingOf(fieldSubject(key), chosen.frame, []).column.sql, chosen.frame)
        : countOf(4, outer)
  return sql`coalesce((select sum(${bytes}) from ${chosen.from()}), 2)`
}
