// The data of the benchmarks: the same rows on every machine and database, whatever else has changed.
import { drawing } from './drawing.ts'

export type Value = string | number | null

export interface Table {
  /** Each column with its type on SQLite and on PostgreSQL. */
  readonly columns: Readonly<Record<string, readonly [sqlite: string, postgres: string]>>
  readonly indexes: readonly string[]
  rows(counts: Counts): Iterable<readonly Value[]>
}

export interface Counts {
  readonly authors: number
  readonly articles: number
  readonly comments: number
  readonly tags: number
  readonly junctions: number
}

const allArticles = 100_000

/** How many rows each table has, for so many articles. */
export function countsFor(articles = allArticles): Counts {
  const scaled = (count: number) => Math.max(50, Math.round((count * articles) / allArticles))
  return {
    authors: scaled(2_000),
    articles,
    comments: scaled(300_000),
    tags: scaled(500),
    junctions: scaled(250_000),
  }
}

const key = ['integer primary key', 'integer primary key'] as const
const number = ['integer not null', 'integer not null'] as const
const link = ['integer', 'integer'] as const
const text = ['text not null', 'text not null'] as const

export const tables: Readonly<Record<string, Table>> = {
  authors: {
    columns: { id: key, name: text, email: text },
    indexes: [],
    *rows({ authors }) {
      const { pick } = drawing(1)
      for (let id = 1; id <= authors; id++) {
        const name = `${pick(firstNames)} ${pick(lastNames)}`
        yield [id, name, `${name.toLowerCase().replace(' ', '.')}.${id}@example.org`]
      }
    },
  },
  articles: {
    columns: {
      id: key,
      title: text,
      body: text,
      status: text,
      published_at: ['text', 'timestamptz(3)'],
      views: number,
      meta: ['text', 'jsonb'],
      author: link,
    },
    indexes: ['author', 'status, published_at', 'published_at'],
    *rows({ articles, authors }) {
      const { pick, below } = drawing(2)
      const sentences = sentencesOf(3)
      let moment = 0
      for (let id = 1; id <= articles; id++) {
        const status = pick(statuses)
        // Some are published at the same moment, so that the order needs its last word, the key.
        if (id % 10 !== 0) moment = firstMoment + below(tenYears)
        yield [
          id,
          Array.from({ length: 3 + below(4) }, () => pick(words)).join(' '),
          Array.from({ length: 8 }, () => pick(sentences)).join(' '),
          status,
          status === 'draft' ? null : new Date(moment).toISOString(),
          below(50_000),
          JSON.stringify({
            lang: pick(languages),
            size: { w: below(2_000), h: below(2_000) },
            top: id % 7 === 0,
          }),
          below(100) === 0 ? null : 1 + below(authors),
        ]
      }
    },
  },
  comments: {
    columns: {
      id: key,
      article: number,
      author: number,
      body: text,
      created_at: ['text not null', 'timestamptz(3) not null'],
    },
    indexes: ['article', 'author'],
    *rows({ comments, articles, authors }) {
      const { pick, below } = drawing(4)
      const sentences = sentencesOf(5)
      for (let id = 1; id <= comments; id++) {
        // Half of the comments go to a tenth of the articles, so that "the last five" leaves some out.
        const article = 1 + (id % 2 === 0 ? below(articles / 10) * 10 : below(articles))
        const body = below(200) === 0 ? `${pick(sentences)} Splendid!` : pick(sentences)
        yield [
          id,
          Math.min(article, articles),
          1 + below(authors),
          body,
          new Date(firstMoment + below(tenYears)).toISOString(),
        ]
      }
    },
  },
  tags: {
    columns: { id: key, name: text },
    indexes: [],
    *rows({ tags }) {
      for (let id = 1; id <= tags; id++) yield [id, `${words[id % words.length]}-${id}`]
    },
  },
  articles_tags: {
    columns: { id: key, articles_id: number, tags_id: number },
    indexes: ['articles_id', 'tags_id'],
    *rows({ junctions, articles, tags }) {
      const { below } = drawing(6)
      for (let id = 1; id <= junctions; id++) yield [id, 1 + below(articles), 1 + below(tags)]
    },
  },
}

const firstMoment = Date.UTC(2015, 0, 1)
const tenYears = 10 * 365 * 24 * 60 * 60 * 1_000

function sentencesOf(seed: number): readonly string[] {
  const { pick, below } = drawing(seed)
  const sentence = () => {
    const phrase = Array.from({ length: 9 + below(5) }, () => pick(words)).join(' ')
    return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`
  }
  return Array.from({ length: 5_000 }, sentence)
}

const statuses = [...Array<string>(6).fill('published'), ...Array<string>(3).fill('draft'), 'archived']
const languages = ['en', 'de', 'fr', 'nb', 'pt']
const firstNames = [
  'Ada',
  'Bo',
  'Cy',
  'Dag',
  'Eva',
  'Finn',
  'Gro',
  'Hugo',
  'Ida',
  'Jon',
  'Kai',
  'Liv',
  'Mia',
  'Nils',
  'Oda',
]
const lastNames = [
  'Aasen',
  'Berg',
  'Carver',
  'Dahl',
  'Eide',
  'Foss',
  'Gran',
  'Holm',
  'Iversen',
  'Juul',
  'Krog',
  'Lund',
  'Moe',
]
const words =
  'apple amber river stone cloud paper north window garden silver music letter bridge table ocean forest winter summer harbour candle mirror yellow purple simple market little engine number second travel reader writer colour island valley mountain meadow thunder lantern café über naïve señor'.split(
    ' ',
  )
