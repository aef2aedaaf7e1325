import { type Sql, sql } from './sql.ts'

/** The maximum number of members per function call: databases limit arguments, and a member takes two. */
const mostMembers = 48

type JsonMembers = readonly (readonly [name: string, value: Sql])[]

/** How a database writes an object, and joins two that are too long for one call. */
interface ObjectPhrases {
  readonly of: (members: Sql) => Sql
  /** The text of two objects in one. */
  readonly merged: (one: Sql, other: Sql) => Sql
  /** Such a text as JSON. */
  readonly parsed: (text: Sql) => Sql
}

/** Writes an object by as few function calls as its members need. */
export function jsonObject(members: JsonMembers, { of, merged, parsed }: ObjectPhrases): Sql {
  const objects = groupsOf(members).map((group) => of(memberArguments(group)))
  const [first = of(sql``), ...others] = objects
  return others.length === 0 ? first : parsed(others.reduce(merged, first))
}

function groupsOf(members: JsonMembers): JsonMembers[] {
  const groups: JsonMembers[] = []
  for (let from = 0; from < members.length; from += mostMembers)
    groups.push(members.slice(from, from + mostMembers))
  return groups
}

const memberArguments = (members: JsonMembers): Sql =>
  sql.join(
    members.map(([name, value]) => sql`${sql.lit(name)}, ${value}`),
    sql`, `,
  )
