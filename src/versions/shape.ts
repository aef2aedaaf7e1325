// Rows in memory as a plan shows them.
import type { MemorySetting } from '../plan/evaluate.ts'
import type { Predicate, Subject } from '../plan/predicate.ts'
import type { AnyMember, ListPlan, Member } from '../plan/read-plan.ts'
import { keyAnswer } from '../plan/shown-value.ts'
import { type Collection, shownKey } from '../schema/model.ts'
import { atPath } from '../values/json-path.ts'
import { type Loaded, pointer } from './loaded.ts'
import { meets, ordered, subjectValue } from './meets.ts'
import { stepName } from './need.ts'

export function shapeItem(
  row: Loaded,
  members: readonly Member[],
  setting: MemorySetting,
): Record<string, unknown> {
  return Object.fromEntries(members.map((member) => [member.name, shapeMember(row, member, setting)]))
}

function shapeMember(row: Loaded, member: Member, setting: MemorySetting): unknown {
  if (row.direct.has(member)) return row.direct.get(member)
  switch (member.kind) {
    case 'value':
      return shapeValue(row, member.subject, setting)
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

function shapeValue(row: Loaded, subject: Subject, setting: MemorySetting): unknown {
  if (subject.kind === 'field') return row.own[subject.field.name]
  if (subject.kind === 'json') return atPath(row.own[subject.field.name], subject.path) ?? null
  const number = subjectValue(subject, row, setting)
  return number === null ? null : Number(number)
}

function shapeTarget(
  target: Loaded | undefined,
  { condition, members }: { readonly condition: Predicate; readonly members: readonly Member[] },
  setting: MemorySetting,
): unknown {
  return target && meets(condition, target, setting) ? shapeItem(target, members, setting) : null
}

function shapeAny(row: Loaded, { field, arms }: AnyMember, setting: MemorySetting): unknown {
  const arm = arms.find(({ target }) => target.name === row.own[field.by.name])
  if (!arm) return null
  const step = { kind: 'arm', field, target: arm.target } as const
  if (arm.members.length > 0) return shapeTarget(row.below.get(stepName(step))?.[0], arm, setting)
  // The bare key, typed as that collection's, whether or not there is such an item.
  const key = pointer(row, step)?.key
  return key === undefined ? null : keyAnswer(arm.target, key)
}

/** The key under its name, which not everybody may see. */
function shownKeyOf({ own }: Loaded, collection: Collection): unknown {
  const shown = shownKey(collection)
  return shown ? own[shown.name] : null
}

function shapeList(
  row: Loaded,
  { collection, children, condition, order, page, rows }: ListPlan,
  setting: MemorySetting,
): readonly unknown[] {
  const all = (children && row.below.get(stepName({ kind: 'children', children }))) ?? []
  const found = ordered(
    all.filter((child) => meets(condition, child, setting)),
    order,
    setting,
  )
  const end = page.limit === undefined ? undefined : page.offset + page.limit
  return found
    .slice(page.offset, end)
    .map((child) =>
      rows.kind === 'items' ? shapeItem(child, rows.members, setting) : shownKeyOf(child, collection),
    )
}
