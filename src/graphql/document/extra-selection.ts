// Extra fields of a selection, and their places in it. The fields that one needs are read as a group of its own, under a name that no response key can be.
import type { FieldNode, GraphQLField } from 'graphql'
import type { TreeMember } from '../../plan/read/selection-tree.ts'
import type { ExtraMeaning } from '../schema/meaning.ts'
import type { ExtraLevel, SelectedExtra } from './extra-level.ts'
import { argumentsOf } from './level-arguments.ts'
import type { Variables } from './variables.ts'

export const extraLevel = (): ExtraLevel => ({ kind: 'level', members: new Map() })

/** The beginning of the name under which the needed fields of a response key are read. */
export const needsOf = (name: string): string => `${name} needs `

/** A selected extra field: its response key, its node and its definition. */
interface ExtraNode {
  readonly name: string
  readonly node: FieldNode
  readonly definition: GraphQLField<unknown, unknown>
}

export function selectExtra(
  level: ExtraLevel,
  { name, node, definition }: ExtraNode,
  { extra: field, collection, needs }: ExtraMeaning,
  count: number,
): TreeMember {
  // Items of a union may have other fields under the same response key.
  const member = `${needsOf(name)}${count}`
  const args = (variables: Variables) => argumentsOf(definition, node, variables)
  level.members.set(member, { kind: 'extra', name, node, collection, field, args })
  return {
    kind: 'group',
    name: member,
    members: needs.map((need) => ({ kind: 'value', name: need, field: need })),
  }
}

/** Returns the level below a member, which items of a union share. */
export function levelUnder({ members }: ExtraLevel, name: string): ExtraLevel {
  const known = members.get(name)
  if (known?.kind === 'level') return known
  const made = extraLevel()
  members.set(name, made)
  return made
}

/** Returns a level without members that lead to no extra field; undefined if nothing is left. */
export function withExtras({ members }: ExtraLevel): ExtraLevel | undefined {
  const left = new Map<string, SelectedExtra | ExtraLevel>()
  for (const [name, member] of members) {
    const kept = member.kind === 'level' ? withExtras(member) : member
    if (kept) left.set(name, kept)
  }
  return left.size > 0 ? { kind: 'level', members: left } : undefined
}
