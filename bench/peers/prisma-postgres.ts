import { PrismaPg } from '@prisma/adapter-pg'
import type { Party } from '../contestant.ts'
import { PrismaClient } from '../generated/postgres/client.ts'
import type { PrismaClient as SqliteClient } from '../generated/sqlite/client.ts'
import { prismaForms } from './prisma.ts'

/** @public Loaded by name, once the peers are installed. */
export async function openParty(url: string): Promise<Party> {
  const client = openClient(url)
  return { name: 'prisma', objects: prismaForms(client), close: () => client.$disconnect() }
}

export function openClient(url: string): SqliteClient {
  const client = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) })
  // Two generated types that differ in names only.
  return client as unknown as SqliteClient
}
