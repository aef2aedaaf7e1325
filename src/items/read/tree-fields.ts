// Fields of a selection that is a tree, as paths: so hooks on reads know them.
import type { SelectionTree, TreeMember } from '../../plan/read/selection-tree.ts'
import { type Collection, keyFieldsOf } from '../../schema/model.ts'

/** Returns what a tree reads of a collection, as `fields` would name it. */
export const fieldsOfTree = ({ members }: SelectionTree, collection: Collection): readonly string[] => [
  ...new Set(members.flatMap((member) => fieldsOf(member, collection))),
]

function fieldsOf(member: TreeMember, collection: Collection): readonly string[] {
  switch (member.kind) {
    case 'constant':
      return []
    case 'key':
      return keyFieldsOf(collection).map(({ name }) => name)
    case 'value':
      return [member.field]
    case 'group':
      return member.members.flatMap((inner) => fieldsOf(inner, collection))
    case 'items':
      return below(member.field, member.members, targetOf(member.field, collection))
    default:
      return member.arms.flatMap((arm) =>
        below(
          `${member.field}:${arm.collection}`,
          arm.members,
          armOf(member.field, arm.collection, collection),
        ),
      )
  }
}

/** A relation of which nothing is selected is read all the same. */
function below(
  name: string,
  members: readonly TreeMember[],
  target: Collection | undefined,
): readonly string[] {
  const inner = target ? members.flatMap((member) => fieldsOf(member, target)) : []
  return inner.length === 0 ? [name] : inner.map((field) => `${name}.${field}`)
}

function targetOf(name: string, { fields }: Collection): Collection | undefined {
  const field = fields.get(name)
  return field && 'target' in field ? field.target : undefined
}

function armOf(name: string, arm: string, { fields }: Collection): Collection | undefined {
  const field = fields.get(name)
  return field?.kind === 'any' ? field.targets.get(arm) : undefined
}
