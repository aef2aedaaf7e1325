import { type Sql, sql } from './sql.ts'

/** The maximum number of members per function call: databases limit arguments, and a member takes two. */
export const mostMembers = 48

export type JsonMembers = readonly (readonly [name: string, value: Sql])[]

/** Members in groups that fit into one function call. */
export function memberGroups(members: JsonMembers): JsonMembers[] {
  const groups: JsonMembers[] = []
  for (let from = 0; from === 0 || from < members.length; from += mostMembers)
    groups.push(members.slice(from, from + mostMembers))
  return groups
}

export const memberArguments = (members: JsonMembers): Sql =>
  sql.join(
    members.map(([name, value]) => sql`${sql.lit(name)}, ${value}`),
    sql`, `,
  )
