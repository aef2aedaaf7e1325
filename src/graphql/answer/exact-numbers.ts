// Exact numbers in the answers of mutations: functions on items return them as texts, and an answer has their digits.
import type { SelectionTree, TreeMember } from '../../plan/read/selection-tree.ts'
import { isRecord } from '../../values/guards.ts'

/** Returns a tree whose exact numbers are read as texts. */
export function withTexts(tree: SelectionTree): SelectionTree {
  return tree.isExact ? { id: `${tree.id} texts`, members: tree.members.map(asText) } : tree
}

function asText(member: TreeMember): TreeMember {
  switch (member.kind) {
    case 'value':
      return member.as === 'number' ? { ...member, as: undefined } : member
    case 'group':
    case 'items':
      return { ...member, members: member.members.map(asText) }
    case 'any':
      return {
        ...member,
        arms: member.arms.map((arm) => ({ ...arm, members: arm.members.map(asText) })),
      }
    default:
      return member
  }
}

/** Returns the JSON text of items that were selected by such a tree. */
export function exactText(value: unknown, { isExact, members }: SelectionTree): string {
  return isExact ? textOf(value, members) : JSON.stringify(value)
}

function textOf(value: unknown, members: readonly TreeMember[]): string {
  if (Array.isArray(value)) return `[${value.map((one: unknown) => textOf(one, members)).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value ?? null)
  const byName = new Map(members.map((member) => [member.name, member]))
  const texts = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}:${memberText(inner, byName.get(name))}`,
  )
  return `{${texts.join(',')}}`
}

function memberText(value: unknown, member: TreeMember | undefined): string {
  switch (member?.kind) {
    case 'value':
      return member.as === 'number' && typeof value === 'string'
        ? digitsOf(value)
        : JSON.stringify(value ?? null)
    case 'group':
    case 'items':
      return textOf(value, member.members)
    case 'any':
      // A name stands for values of one type in all arms, which validation has checked.
      return textOf(
        value,
        member.arms.flatMap(({ members }) => members),
      )
    default:
      return JSON.stringify(value ?? null)
  }
}

/** Returns an exact number as JSON. It may be none there, such as NaN. */
export const digitsOf = (text: string): string =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? text : JSON.stringify(Number(text))
