// What ZenStack reads as a caller who sees what is published. SQLite's client stands for both, as with Prisma.
import type { ClientContract } from '@zenstackhq/orm'
import type { Forms } from '../contestant.ts'
import type { SchemaType } from '../generated/zenstack/sqlite/reads/schema.ts'
import type { Turn } from '../workloads.ts'

export type Client = ClientContract<SchemaType>

export function zenStackForms(client: Client): Forms {
  // The caller is told anew for each call, as a server does it.
  const articles = () => client.$setAuth({ id: 1 }).article
  const latest = (skip = 0) => ({
    orderBy: [{ published_at: 'desc' as const }, { id: 'desc' as const }],
    take: 100,
    skip,
  })
  const page = ({ page }: Turn) => (page - 1) * 100
  return {
    W1: {
      findMany: async (turn) => ({
        data: (await articles().findMany(latest(page(turn)))).map(({ authorId, ...item }) => ({
          ...item,
          author: authorId,
        })),
      }),
    },
    W2: { select: async () => ({ data: await articles().findMany({ select: authored, ...latest() }) }) },
    W3: { select: async () => ({ data: await articles().findMany({ select: tree, ...latest() }) }) },
  }
}

const author = { select: { id: true, name: true, email: true } } as const
const authored = { id: true, title: true, published_at: true, views: true, author } as const
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
