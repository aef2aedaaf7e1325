import type { Party } from './contestant.ts'
import type { Counts } from './data.ts'
import { openHandPostgres } from './hand/postgres.ts'
import { openHandSqlite } from './hand/sqlite.ts'
import { openKyselyPostgres, openKyselySqlite } from './kysely.ts'
import type { DatabaseName } from './options.ts'
import { postgresData } from './postgres-data.ts'
import {
  openNarrowedPostgres,
  openNarrowedSqlite,
  openPlainPostgres,
  openPlainSqlite,
  openQuernelPostgres,
  openQuernelSqlite,
} from './quernel.ts'
import { sqliteFile } from './sqlite-data.ts'

export interface Field {
  readonly parties: readonly Party[]
  close(): Promise<void>
}

/** Opens the parties on a database, and its data. SQL by hand comes first, and is always there. */
export async function openField(
  database: DatabaseName,
  counts: Counts,
  only?: readonly string[],
): Promise<Field> {
  const { place, close } = await openPlace(database, counts)
  const parties: Party[] = []
  for (const [name, open] of Object.entries(openers[database]))
    if (takesPart(name, only)) parties.push(await open(place))
  return {
    parties,
    close: async () => {
      for (const party of parties) await party.close()
      await close()
    },
  }
}

/** Opens the data of a database. */
export const openPlace = (database: DatabaseName, counts: Counts) => data[database](counts)

const data = {
  sqlite: async (counts: Counts) => ({ place: sqliteFile(counts), close: async () => {} }),
  postgres: async (counts: Counts) => {
    const { url, close } = await postgresData(counts)
    return { place: url, close }
  },
}

type Open = (place: string) => Party | Promise<Party>

const openers: Readonly<Record<DatabaseName, Readonly<Record<string, Open>>>> = {
  sqlite: {
    hand: openHandSqlite,
    quernel: openQuernelSqlite,
    'quernel, plain': openPlainSqlite,
    'quernel, narrowed': openNarrowedSqlite,
    kysely: openKyselySqlite,
    drizzle: installed('drizzle-sqlite'),
    prisma: installed('prisma-sqlite'),
    'zenstack, narrowed': installed('zenstack-sqlite'),
  },
  postgres: {
    hand: openHandPostgres,
    quernel: openQuernelPostgres,
    'quernel, plain': openPlainPostgres,
    'quernel, narrowed': openNarrowedPostgres,
    kysely: openKyselyPostgres,
    drizzle: installed('drizzle-postgres'),
    prisma: installed('prisma-postgres'),
    'zenstack, narrowed': installed('zenstack-postgres'),
    postgraphile: installed('postgraphile'),
  },
}

/** True if a party was chosen, by its name or by what stands before the comma. SQL by hand is what all are compared with. */
export const takesPart = (party: string, only: readonly string[] | undefined): boolean =>
  only === undefined || ['hand', ...only].some((name) => party === name || party.startsWith(`${name}, `))

/** A peer from the package of the bench. It is loaded by name, so that types can be checked before it is installed. */
function installed(name: string): Open {
  return async (place) => {
    const module: { readonly openParty: Open } = await import(
      new URL(`./peers/${name}.ts`, import.meta.url).href
    )
    return module.openParty(place)
  }
}
