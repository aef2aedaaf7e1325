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

/** Everybody on a database, and the data they are asked for. Who writes SQL by hand comes first. */
export async function openField(database: DatabaseName, counts: Counts): Promise<Field> {
  const { place, close } = await data[database](counts)
  const parties: Party[] = []
  for (const open of openers[database]) parties.push(await open(place))
  return {
    parties,
    close: async () => {
      for (const party of parties) await party.close()
      await close()
    },
  }
}

const data = {
  sqlite: async (counts: Counts) => ({ place: sqliteFile(counts), close: async () => {} }),
  postgres: async (counts: Counts) => {
    const { url, close } = await postgresData(counts)
    return { place: url, close }
  },
}

type Open = (place: string) => Party | Promise<Party>

const openers: Readonly<Record<DatabaseName, readonly Open[]>> = {
  sqlite: [
    openHandSqlite,
    openQuernelSqlite,
    openPlainSqlite,
    openNarrowedSqlite,
    openKyselySqlite,
    installed('drizzle-sqlite'),
    installed('prisma-sqlite'),
  ],
  postgres: [
    openHandPostgres,
    openQuernelPostgres,
    openPlainPostgres,
    openNarrowedPostgres,
    openKyselyPostgres,
    installed('drizzle-postgres'),
    installed('prisma-postgres'),
    installed('postgraphile'),
  ],
}

/** A peer from the package of the bench. It is loaded by name, so that types can be checked before it is installed. */
function installed(name: string): Open {
  return async (place) => {
    const module: { readonly openParty: Open } = await import(
      new URL(`./peers/${name}.ts`, import.meta.url).href
    )
    return module.openParty(place)
  }
}
