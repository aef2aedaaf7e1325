// Pothos with its plugin for Prisma, which selects by the document. GraphQL Yoga answers, as the guide of Pothos has it.
import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import type { DocumentParty } from '../documents/document-party.ts'
import type PrismaTypes from '../generated/pothos/types.ts'
import { getDatamodel } from '../generated/pothos/types.ts'
import type { PrismaClient } from '../generated/sqlite/client.ts'
import type { DatabaseName } from '../options.ts'
import { openClient as openPostgres } from './prisma-postgres.ts'
import { openClient as openSqlite } from './prisma-sqlite.ts'
import { yogaAnswers } from './yoga.ts'

const openers = { sqlite: openSqlite, postgres: openPostgres } as const satisfies Record<
  DatabaseName,
  unknown
>

/** @public Loaded by name, once the peers are installed. */
export async function openDocuments(database: DatabaseName, place: string): Promise<DocumentParty> {
  const client = await openers[database](place)
  return {
    name: 'pothos, prisma',
    form: 'plugin',
    answers: yogaAnswers(pothosSchema(client)),
    close: () => client.$disconnect(),
  }
}

function pothosSchema(client: PrismaClient) {
  const builder = builderOn(client)
  addTypes(builder)
  const latest = { where: { status: 'published' }, orderBy, take: 100 }
  builder.queryType({
    fields: (t) => ({
      flat: t.prismaField({
        type: ['Article'],
        args: { page: t.arg.int({ required: true }) },
        resolve: (query, _root, { page }) =>
          client.article.findMany({ ...query, ...latest, skip: (page - 1) * 100 }),
      }),
      trees: t.prismaField({
        type: ['Article'],
        resolve: (query) => client.article.findMany({ ...query, ...latest }),
      }),
      many: t.prismaField({
        type: ['Article'],
        args: { most: t.arg.int({ required: true }) },
        resolve: (query, _root, { most }) =>
          client.article.findMany({ ...query, orderBy: { id: 'asc' }, take: most }),
      }),
      article: t.prismaField({
        type: 'Article',
        nullable: true,
        args: { id: t.arg.id({ required: true }) },
        resolve: (query, _root, { id }) => client.article.findUnique({ ...query, where: { id: Number(id) } }),
      }),
    }),
  })
  return builder.toSchema()
}

const orderBy = [{ published_at: 'desc' as const }, { id: 'desc' as const }]

interface Types {
  PrismaTypes: PrismaTypes
  DefaultFieldNullability: false
  Scalars: {
    DateTime: { Input: Date; Output: Date }
    JSON: { Input: unknown; Output: unknown }
  }
}

function builderOn(client: PrismaClient) {
  const builder = new SchemaBuilder<Types>({
    plugins: [PrismaPlugin],
    prisma: { client, dmmf: getDatamodel() },
    defaultFieldNullability: false,
  })
  builder.scalarType('DateTime', { serialize: (value) => value.toISOString() })
  builder.scalarType('JSON', { serialize: (value) => value })
  return builder
}

function addTypes(builder: ReturnType<typeof builderOn>): void {
  builder.prismaObject('Article', {
    fields: (t) => ({
      id: t.exposeID('id'),
      title: t.exposeString('title'),
      body: t.exposeString('body'),
      status: t.exposeString('status'),
      published_at: t.expose('published_at', { type: 'DateTime', nullable: true }),
      views: t.exposeInt('views'),
      meta: t.expose('meta', { type: 'JSON', nullable: true }),
      author: t.relation('author', { nullable: true }),
      comments: t.relation('comments', {
        query: { orderBy: [{ created_at: 'desc' }, { id: 'desc' }], take: 5 },
      }),
      tags: t.relation('tags', { query: { orderBy: { id: 'asc' } } }),
    }),
  })
  builder.prismaObject('Author', {
    fields: (t) => ({
      id: t.exposeID('id'),
      name: t.exposeString('name'),
      email: t.exposeString('email'),
    }),
  })
  builder.prismaObject('Comment', {
    fields: (t) => ({
      id: t.exposeID('id'),
      body: t.exposeString('body'),
      created_at: t.expose('created_at', { type: 'DateTime' }),
      author: t.relation('author'),
    }),
  })
  builder.prismaObject('ArticleTag', { fields: (t) => ({ tags_id: t.relation('tags_id') }) })
  builder.prismaObject('Tag', {
    fields: (t) => ({ id: t.exposeID('id'), name: t.exposeString('name') }),
  })
}
