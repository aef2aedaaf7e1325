import { type Sql, sql } from './sql.ts'

/** Databases take so many arguments of a function; a member takes two. */
export const mostMembers = 48

export type JsonMembers = readonly (readonly [name: string, value: Sql])[]

/** Members in groups that one call of a function can take. */
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
