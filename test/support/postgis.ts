// A PostGIS that needs no install: PostgreSQL compiled to WebAssembly, behind a Kysely dialect.
import { PGlite } from '@electric-sql/pglite'
import { postgis } from '@electric-sql/pglite-postgis'
import { Kysely } from 'kysely'
import { type OpenDatabase, openedOn } from './databases.ts'
import { pgliteDialect } from './driver-dialects.ts'

export async function openPostgis(): Promise<OpenDatabase> {
  const lite = await PGlite.create({ extensions: { postgis } })
  await lite.exec('create extension postgis')
  const db: OpenDatabase['db'] = new Kysely({ dialect: pgliteDialect(lite) })
  return openedOn(db, async () => {
    await db.destroy()
    await lite.close()
  })
}
