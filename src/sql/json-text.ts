// The items of a list as JSON that the database writes, and that is passed on unchanged.
import { type Sql, sql } from '../dialects/sql.ts'
import { unreachable } from '../errors/errors.ts'
import { fieldSubject } from '../plan/field-path.ts'
import type { AnyMember, ArmMember, ListPlan, Member, ValueMember } from '../plan/read/read-plan.ts'
import { type Collection, shownKey } from '../schema/model.ts'
import { withheld } from './column.ts'
import { readingOf, tieOf } from './filter.ts'
import { columnOf, type Frame, innerFrame, keyOf } from './frame.ts'
import { type Attached, armReading, attachArm, attachOne } from './joins.ts'
import { choose } from './page/pagination.ts'

type WrittenJson = readonly (readonly [name: string, value: Sql])[]

/** The members of an item as JSON. Undefined if the database cannot write one of them. */
export function membersText(members: readonly Member[], frame: Frame): WrittenJson | undefined {
  const written = members.map((member) => [member.name, memberText(member, frame)] as const)
  const all = written.filter((one): one is readonly [string, Sql] => one[1] !== undefined)
  return all.length < written.length ? undefined : all
}

function itemText(members: readonly Member[], frame: Frame): Sql | undefined {
  const written = membersText(members, frame)
  return written && frame.setting.dialect.jsonObject(written)
}

function memberText(member: Member, frame: Frame): Sql | undefined {
  switch (member.kind) {
    case 'value':
      return valueText(member, frame)
    case 'constant':
      return frame.setting.dialect.castText(sql.val(member.text))
    case 'cursor':
      return undefined
    case 'group':
      return itemText(member.members, frame)
    case 'one':
      return rowText(attachOne(member, frame), member.members)
    case 'any':
      return anyText(member, frame)
    case 'many':
      return listText(member.list, frame)
    default:
      throw unreachable(`a member of kind ${String(member satisfies never)}`)
  }
}

function valueText(member: ValueMember, frame: Frame): Sql | undefined {
  if (member.as === 'key') return keyText(member, frame)
  const { json } = readingOf(member.subject, frame, member.path)
  return json && (member.as === 'number' ? frame.setting.dialect.jsonNumber(json) : json)
}

/** A key as text. Several parts are spelled where the row is read. */
function keyText({ subject }: ValueMember, frame: Frame): Sql | undefined {
  if (subject.kind !== 'field') return undefined
  return frame.setting.dialect.keyAsText(columnOf(frame, subject.field.column), subject.field.value)
}

/** The joined row as JSON; null if there is no row. */
function rowText({ frame, lookUp }: Attached, members: readonly Member[]): Sql | undefined {
  const text = itemText(members, frame)
  if (!text) return undefined
  return lookUp ? again(lookUp(text), frame) : sql`case when ${keyOf(frame)} is not null then ${text} end`
}

function anyText({ field, arms }: AnyMember, frame: Frame): Sql | undefined {
  const texts = arms.map(armText)
  const all = texts.filter((text) => text !== undefined)
  if (all.length < texts.length) return undefined
  return sql`case ${columnOf(frame, field.by.column)}${sql.join(all, sql``)} end`

  function armText(arm: ArmMember): Sql | undefined {
    const { target, members } = arm
    const isKey = members.length === 0 && !arm.isItem
    const text = isKey ? bareKey(target) : rowText(attachArm(field, arm, frame), members)
    return text && sql` when ${sql.val(target.name)} then ${text}`
  }

  function bareKey(target: Collection): Sql | undefined {
    const { json } = armReading(field, target, frame)
    return json && frame.setting.dialect.toJson(json)
  }
}

function listText(list: ListPlan, outer: Frame): Sql | undefined {
  const { rows, children } = list
  if (rows.kind === 'groups' || !children) return undefined
  const { dialect } = outer.setting
  const table = innerFrame(outer, list.collection)
  const chosen = choose(list, table, tieOf(children, table, outer), { probe: 0, after: undefined })
  if (rows.kind === 'keys') {
    const key = shownKey(list.collection)
    const element = key ? readingOf(fieldSubject(key), chosen.frame, []).json : withheld(chosen.frame)
    return element && again(dialect.jsonList({ element, from: chosen.from(), order: chosen.order() }), outer)
  }
  const written = membersText(rows.members, chosen.frame)
  const items = { members: written ?? [], from: chosen.from(), order: chosen.order() }
  return written && again(dialect.jsonItems(items), outer)
}

const again = (subselect: Sql, { setting: { dialect } }: Frame): Sql =>
  dialect.jsonAgain?.of(subselect) ?? subselect
