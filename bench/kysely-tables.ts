// The tables as Kysely is told of them.
import type { ColumnType } from 'kysely'

type Moment = ColumnType<string | Date, string, string>

export interface Tables {
  authors: { id: number; name: string; email: string }
  articles: {
    id: number
    title: string
    body: string
    status: string
    published_at: Moment | null
    views: number
    meta: unknown
    author: number | null
  }
  comments: { id: number; article: number; author: number; body: string; created_at: Moment }
  tags: { id: number; name: string }
  articles_tags: { id: number; articles_id: number; tags_id: number }
}
