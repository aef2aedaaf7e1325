// Differences between two schemas, member by member.
import { type DefinitionNode, parse, print } from 'graphql'

/** A type or a member of one that differs. */
export interface Difference {
  /** `articles`, `articles.title`, or `articles_item_union =` for the types of a union. */
  readonly at: string
  /** What it is in the recorded schema; undefined if it is not there. */
  readonly was: string | undefined
  /** What it is in ours. */
  readonly is: string | undefined
}

/** Returns the differences between a recorded schema and ours. */
export function differencesOf(recorded: string, ours: string): readonly Difference[] {
  const [before, after] = [membersOf(recorded), membersOf(ours)]
  const places = new Set([...before.keys(), ...after.keys()])
  return [...places]
    .map((at) => ({ at, was: before.get(at), is: after.get(at) }))
    .filter(({ was, is }) => was !== is)
}

/** All members of a schema by their places, without descriptions. */
function membersOf(text: string): ReadonlyMap<string, string> {
  return new Map(parse(text).definitions.flatMap(placesIn))
}

function placesIn(node: DefinitionNode): readonly (readonly [string, string])[] {
  const name = 'name' in node && node.name ? node.name.value : ''
  const fields = 'fields' in node ? (node.fields ?? []) : []
  const own = [name, node.kind] as const
  if ('types' in node) return [own, [`${name} =`, (node.types ?? []).map((type) => print(type)).join(' | ')]]
  return [
    own,
    ...fields.map((field) => {
      const args = 'arguments' in field ? (field.arguments ?? []) : []
      const written = args.map((arg) => `${arg.name.value}: ${print(arg.type)}`).join(', ')
      return [`${name}.${field.name.value}`, `(${written}): ${print(field.type)}`] as const
    }),
  ]
}
