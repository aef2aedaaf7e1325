// The items of a list as JSON that the database writes, and that is passed on as it is.
import { type Sql, sql } from '../dialects/sql.ts'
import { unreachable } from '../errors.ts'
import { isAlways, type Predicate, type Subject } from '../plan/predicate.ts'
import type { AnyMember, ArmMember, ListPlan, Member, OneMember } from '../plan/read-plan.ts'
import type { Collection } from '../schema/model.ts'
import { armKey, armTie, linkOf } from './children.ts'
import { readingOf } from './column.ts'
import { columnOf, type Frame, innerFrame, keyOf, tableOf } from './frame.ts'
import { tied } from './items.ts'
import { choose } from './page.ts'

type Written = readonly (readonly [name: string, value: Sql])[]

/** The members of an item as JSON. Undefined where something of it cannot be written by the database. */
export function membersText(members: readonly Member[], frame: Frame): Written | undefined {
  const written = members.map((member) => [member.name, memberText(member, frame)] as const)
  const all = written.filter((one): one is readonly [string, Sql] => one[1] !== undefined)
  return all.length < written.length ? undefined : all
}

/** An item as a JSON object. */
export function itemText(members: readonly Member[], frame: Frame): Sql | undefined {
  const written = membersText(members, frame)
  return written && frame.setting.dialect.jsonObject(written)
}

function memberText(member: Member, frame: Frame): Sql | undefined {
  switch (member.kind) {
    case 'value':
      return readingOf(member.subject, frame, member.path).json
    case 'one':
      return oneText(member, frame)
    case 'any':
      return anyText(member, frame)
    case 'many':
      return listText(member.list, frame)
    default:
      throw unreachable(`a member of kind ${String(member satisfies never)}`)
  }
}

function oneText({ field, condition, members }: OneMember, frame: Frame): Sql | undefined {
  const tie = (target: Frame) => sql`${keyOf(target)} = ${columnOf(frame, field.column)}`
  const joined = isAlways(condition)
    ? frame.joins?.to(frame, field)
    : frame.joins?.add(frame, field.target, (target) => tied(tie(target), condition, target))
  return joined ? present(joined, members) : apart(field.target, tie, condition, members, frame)
}

/** Null where there is no target. */
function present(target: Frame, members: readonly Member[]): Sql | undefined {
  const text = itemText(members, target)
  return text && sql`case when ${keyOf(target)} is not null then ${text} end`
}

function apart(
  collection: Collection,
  tie: (target: Frame) => Sql,
  condition: Predicate,
  members: readonly Member[],
  frame: Frame,
): Sql | undefined {
  const inner = innerFrame(frame, collection)
  const text = itemText(members, inner)
  const where = tied(tie(inner), condition, inner)
  return text && sql`(select ${text} from ${tableOf(inner)}${inner.joins.text} where ${where})`
}

function anyText({ field, arms }: AnyMember, frame: Frame): Sql | undefined {
  const texts = arms.map(armText)
  const all = texts.filter((text) => text !== undefined)
  if (all.length < texts.length) return undefined
  return sql`case ${columnOf(frame, field.by.column)}${sql.join(all, sql``)} end`

  function armText({ target, condition, members }: ArmMember): Sql | undefined {
    const text = members.length === 0 ? bareKey(target) : expanded(target, condition, members)
    return text && sql` when ${sql.val(target.name)} then ${text}`
  }

  function expanded(target: Collection, condition: Predicate, members: readonly Member[]): Sql | undefined {
    const tie = (inner: Frame) => armTie(field, inner, frame)
    const joined = frame.joins?.add(frame, target, (inner) => tied(tie(inner), condition, inner))
    return joined ? present(joined, members) : apart(target, tie, condition, members, frame)
  }

  function bareKey(target: Collection): Sql | undefined {
    const { dialect, byCodePoint, negationMatchesNull } = frame.setting
    const key = armKey(field, { ...frame, collection: target }, frame)
    const { json } = dialect.reading({ sql: key, type: target.key.value, byCodePoint, negationMatchesNull })
    return json && dialect.toJson(json)
  }
}

function listText(list: ListPlan, outer: Frame): Sql | undefined {
  const { rows, children } = list
  if (rows.kind === 'groups' || !children) return undefined
  const { dialect } = outer.setting
  const table = innerFrame(outer, list.collection)
  const chosen = choose(list, table, linkOf(children, table, outer), { probe: 0, after: undefined })
  if (rows.kind === 'keys') {
    const { key } = list.collection
    const subject: Subject = { kind: 'field', field: key, type: key.value }
    const element = readingOf(subject, chosen.frame, []).json
    return element && dialect.jsonList({ element, from: chosen.from(), order: chosen.order() })
  }
  const written = membersText(rows.members, chosen.frame)
  return written && dialect.jsonItems({ members: written, from: chosen.from(), order: chosen.order() })
}
