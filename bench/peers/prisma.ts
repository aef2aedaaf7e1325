// Prisma, whose generated client has the same methods for both databases; SQLite's stands for both.
import type { Forms } from '../contestant.ts'
import type { PrismaClient } from '../generated/sqlite/client.ts'
import { names, type Turn, until } from '../workloads.ts'

export function prismaForms(client: PrismaClient): Forms {
  const latest = (skip = 0) => ({
    where: { status: 'published' },
    orderBy: [{ published_at: 'desc' as const }, { id: 'desc' as const }],
    take: 100,
    skip,
  })
  const past = {
    where: { published_at: { lte: until } },
    orderBy: [{ published_at: 'desc' as const }, { id: 'desc' as const }],
    take: 100,
  }
  const authored = { id: true, title: true, published_at: true, views: true, author }
  const page = ({ page }: Turn) => (page - 1) * 100
  const trees = (skip: number) => client.article.findMany({ select: tree, ...latest(skip) })
  return {
    W1: {
      findMany: async (turn) => ({ data: (await client.article.findMany(latest(page(turn)))).map(flatItem) }),
    },
    W2: {
      select: async () => ({
        data: await client.article.findMany({
          select: authored,
          ...latest(),
        }),
      }),
    },
    W2r: { select: async () => ({ data: await client.article.findMany({ select: authored, ...past }) }) },
    W3: { select: async () => ({ data: await trees(0) }) },
    W3p: { select: async (turn) => ({ data: await trees(page(turn)) }) },
    W3r: { select: async () => ({ data: await client.article.findMany({ select: tree, ...past }) }) },
    W4: { some: () => found(client) },
    W6: { findUnique: ({ key }) => client.article.findUnique({ select: tree, where: { id: key } }) },
    W7: {
      select: async ({ most }) => ({
        data: (
          await client.article.findMany({
            select: { id: true, title: true, status: true, published_at: true, views: true, authorId: true },
            orderBy: { id: 'asc' },
            take: most,
          })
        ).map(flatItem),
      }),
    },
    W8: {
      findMany: async ({ skipped }) => ({
        data: (await client.article.findMany(latest(skipped))).map(flatItem),
      }),
    },
  }
}

const author = { select: { id: true, name: true, email: true } }
const tree = {
  id: true,
  title: true,
  status: true,
  published_at: true,
  views: true,
  author,
  comments: {
    select: { id: true, body: true, created_at: true, author: { select: { id: true, name: true } } },
    orderBy: [{ created_at: 'desc' as const }, { id: 'desc' as const }],
    take: 5,
  },
  tags: { select: { tags_id: { select: { id: true, name: true } } }, orderBy: { id: 'asc' as const } },
}

const flatItem = <Row extends { readonly authorId: number | null }>({ authorId, ...item }: Row) => ({
  ...item,
  author: authorId,
})

async function found(client: PrismaClient) {
  const where = {
    author: { name: { contains: names.author } },
    comments: { some: { body: { contains: names.comment } } },
  }
  const [data, count] = await Promise.all([
    client.article.findMany({
      select: {
        id: true,
        title: true,
        published_at: true,
        views: true,
        author: { select: { id: true, name: true } },
      },
      where,
      orderBy: [{ published_at: { sort: 'desc', nulls: 'first' } }, { id: 'desc' }],
      take: 25,
    }),
    client.article.count({ where }),
  ])
  return { data, meta: { filter_count: count } }
}
