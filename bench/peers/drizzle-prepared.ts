// Drizzle's relational queries once more, prepared, with placeholders for what changes.
import { asc, eq, sql } from 'drizzle-orm'
import type { Form, Forms } from '../contestant.ts'
import type { Turn } from '../workloads.ts'
import { authored, type Drizzle, flatItem, latestOf, narrow, pastOf, tree } from './drizzle-shapes.ts'

export function preparedForms(drizzle: Drizzle): Forms {
  const { db, schema, prepare, bound } = drizzle
  const { articles } = schema
  const latest = latestOf(articles)(sql.placeholder('offset'))
  const flat = prepare(db.query.articles.findMany(latest))
  const withAuthor = prepare(db.query.articles.findMany({ ...authored, ...latest }))
  const past = pastOf(articles, bound)
  const pastWithAuthor = prepare(db.query.articles.findMany({ ...authored, ...past }))
  const pastTrees = prepare(db.query.articles.findMany({ ...tree(schema), ...past }))
  const trees = prepare(db.query.articles.findMany({ ...tree(schema), ...latest }))
  const one = prepare(
    db.query.articles.findFirst({ ...tree(schema), where: eq(articles.id, sql.placeholder('key')) }),
  )
  const many = prepare(
    db.query.articles.findMany({ ...narrow, orderBy: asc(articles.id), limit: sql.placeholder('most') }),
  )
  const named = (prepared: Form) => ({ prepared })
  const page = ({ page }: Turn) => ({ offset: (page - 1) * 100 })
  return {
    W1: named(async (turn) => ({ data: (await flat(page(turn))).map(flatItem) })),
    W2: named(async () => ({ data: await withAuthor({ offset: 0 }) })),
    W2r: named(async () => ({ data: await pastWithAuthor({}) })),
    W3: named(async () => ({ data: await trees({ offset: 0 }) })),
    W3p: named(async (turn) => ({ data: await trees(page(turn)) })),
    W3r: named(async () => ({ data: await pastTrees({}) })),
    W6: named(({ key }) => one({ key })),
    W7: named(async ({ most }) => ({ data: (await many({ most })).map(flatItem) })),
    W8: named(async ({ skipped }) => ({ data: (await flat({ offset: skipped })).map(flatItem) })),
  }
}
