// Shapes rows in memory as a plan selects them.

import type { MemorySetting } from '../../plan/filter/evaluate.ts'
import type { ComparedValue, Predicate } from '../../plan/filter/predicate.ts'
import { keyInItem, shownKeyOf } from '../../plan/key.ts'
import type { AnyMember, ListPlan, Member } from '../../plan/read/read-plan.ts'
import { shownAs } from '../../plan/read/shown-as.ts'
import { type Collection, shownKey } from '../../schema/model.ts'
import { atPath } from '../../values/json-path.ts'
import { matchesRow, ordered, subjectValue } from './match-rows.ts'
import { type OverlayRow, pointer } from './overlay-row.ts'
import { stepName } from './required-data.ts'

export function projectItem(
  row: OverlayRow,
  members: readonly Member[],
  setting: MemorySetting,
): Record<string, unknown> {
  return Object.fromEntries(members.map((member) => [member.name, shapeMember(row, member, setting)]))
}

function shapeMember(row: OverlayRow, member: Member, setting: MemorySetting): unknown {
  if (row.direct.has(member)) return row.direct.get(member)
  switch (member.kind) {
    case 'value': {
      const value = shapeValue(row, member.subject, setting)
      return member.as ? shownAs[member.as](value) : value
    }
    case 'constant':
      return member.text
    case 'cursor':
      return null
    case 'group':
      return projectItem(row, member.members, setting)
    case 'one': {
      const [target] = row.below.get(member.field.name) ?? []
      return shapeTarget(target, member, setting)
    }
    case 'any':
      return shapeAny(row, member, setting)
    case 'many':
      return shapeList(row, member.list, setting)
    default:
      return member satisfies never
  }
}

function shapeValue(row: OverlayRow, subject: ComparedValue, setting: MemorySetting): unknown {
  if (subject.kind === 'field') return row.own[subject.field.name]
  if (subject.kind === 'json') return atPath(row.own[subject.field.name], subject.path) ?? null
  const number = subjectValue(subject, row, setting)
  return number === null ? null : Number(number)
}

function shapeTarget(
  target: OverlayRow | undefined,
  { condition, members }: { readonly condition: Predicate; readonly members: readonly Member[] },
  setting: MemorySetting,
): unknown {
  return target && matchesRow(condition, target, setting) ? projectItem(target, members, setting) : null
}

function shapeAny(row: OverlayRow, { field, arms }: AnyMember, setting: MemorySetting): unknown {
  const arm = arms.find(({ target }) => target.name === row.own[field.by.name])
  if (!arm) return null
  const step = { kind: 'arm', field, ...arm } as const
  if (arm.members.length > 0 || arm.isItem)
    return shapeTarget(row.below.get(stepName(step))?.[0], arm, setting)
  // The bare key, typed as in that collection, whether or not the item exists.
  const key = pointer(row, step)?.key
  return key === undefined ? null : shownKeyOf(arm.target, key)
}

/** Returns the key under its name, which not every caller may see. */
function visibleKeyOf({ own }: OverlayRow, collection: Collection): unknown {
  const shown = shownKey(collection)
  return shown ? keyInItem(collection, own) : null
}

function shapeList(
  row: OverlayRow,
  { collection, children, condition, order, page, rows }: ListPlan,
  setting: MemorySetting,
): readonly unknown[] {
  const all = (children && row.below.get(stepName({ kind: 'children', children }))) ?? []
  const found = ordered(
    all.filter((child) => matchesRow(condition, child, setting)),
    order,
    setting,
  )
  const end = page.limit === undefined ? undefined : page.offset + page.limit
  return found
    .slice(page.offset, end)
    .map((child) =>
      rows.kind === 'items' ? projectItem(child, rows.members, setting) : visibleKeyOf(child, collection),
    )
}
