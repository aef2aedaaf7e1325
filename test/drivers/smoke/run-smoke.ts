// Runs all checks over one driver. Nothing here needs Node: other runtimes run it, too.
import { type Kysely, sql } from 'kysely'
import { createEngine, type Engine } from '../../../src/index.ts'
import type { AnyTables } from '../../support/databases.ts'
import { canonical } from './canonical.ts'
import type { DatabaseName, Group } from './check.ts'
import { fillLibrary, schema } from './library.ts'
import { readGroups } from './reads.ts'
import { otherGroups } from './refusals.ts'
import { valueGroups } from './values.ts'
import { writeGroups } from './writes.ts'

export const groups: readonly Group[] = [...readGroups, ...valueGroups, ...writeGroups, ...otherGroups]

/** What each check answers, as text, by `group: title`. */
export type Outcome = Readonly<Record<string, string>>

/** Runs all checks on an empty database. */
export async function runSmoke(db: Kysely<AnyTables>, database: DatabaseName): Promise<Outcome> {
  if (database === 'postgres') await sql`create type switch as enum ('on', 'off')`.execute(db)
  await sql`create table holders (id integer primary key)`.execute(db)
  await sql`insert into holders values (1)`.execute(db)
  await fillLibrary(db, database)
  const clock = () => new Date('2024-03-01T12:00:00.000Z')
  // The checks name collections and fields as clients do, not as the compiler knows them.
  const engine = createEngine({ db, schema, clock }) as unknown as Engine
  const outcome: Record<string, string> = {}
  for (const { title: group, checks } of groups)
    for (const { title, run } of checks)
      outcome[`${group}: ${title}`] = canonical(
        await run({ db, database, engine }).catch((error: unknown) => error),
      )
  return outcome
}

/** The names of the checks that a name stands for: of one check, or of a group. */
export const checksOf = (name: string): readonly string[] => {
  const group = groups.find(({ title }) => title === name)
  return group ? group.checks.map(({ title }) => `${name}: ${title}`) : [name]
}
