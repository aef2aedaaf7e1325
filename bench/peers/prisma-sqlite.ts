import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import type { Party } from '../contestant.ts'
import { PrismaClient } from '../generated/sqlite/client.ts'
import { cachePragmas } from '../sqlite-data.ts'
import { prismaForms } from './prisma.ts'

/** @public Loaded by name, once the peers are installed. */
export async function openParty(file: string): Promise<Party> {
  const client = await openClient(file)
  return { name: 'prisma', objects: prismaForms(client), close: () => client.$disconnect() }
}

export async function openClient(file: string): Promise<PrismaClient> {
  const client = new PrismaClient({ adapter: new PrismaBetterSqlite3({ url: `file:${file}` }) })
  for (const pragma of cachePragmas) await client.$queryRawUnsafe(`pragma ${pragma}`)
  return client
}
