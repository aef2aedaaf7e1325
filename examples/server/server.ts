// A server of one file's length: node:http, SQLite in memory, and Quernel for all that is read.
import { createServer } from 'node:http'
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { createEngine, EngineError, isEngineError, parseQuery, toErrorBody } from 'quernel'
import { sqliteDialect } from 'quernel/sqlite'
import { read } from './read.ts'
import { schema } from './schema.ts'
import { seed } from './seed.ts'

const database = new Database(':memory:')
seed(database)
const engine = createEngine({
  db: new Kysely({ dialect: sqliteDialect({ database }) }),
  schema,
  limits: { defaultLimit: 25, maxLimit: 1_000 },
})

const server = createServer(async (request, response) => {
  const answer = (status: number, json: string) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    response.end(`${json}\n`)
  }
  try {
    if (request.method !== 'GET') throw new EngineError('METHOD_NOT_ALLOWED', 'This example only reads.')
    const { pathname, search } = new URL(`http://localhost${request.url}`)
    answer(200, await read(engine, pathname, parseQuery(search)))
  } catch (error) {
    if (!isEngineError(error) || error.status === 500) console.error(error)
    answer(isEngineError(error) ? error.status : 500, JSON.stringify(toErrorBody(error), undefined, 2))
  }
})

const port = Number(process.env.PORT ?? 3000)
server.listen(port, () => {
  const items = `http://localhost:${port}/items`
  console.log(`Quernel's example listens on http://localhost:${port}. Try:

  curl '${items}/articles?fields=title,author.name,tags.tag.name&sort=-views&limit=2'
  curl -g '${items}/articles?filter[author][name][_icontains]=HOPPER&meta=*'
  curl -g '${items}/articles?filter[comments][_none][author][country]=US&filter[status]=published'
  curl -g '${items}/articles?groupBy=year(published_at)&aggregate[count]=*&aggregate[sum]=views'
  curl -g '${items}/authors?fields=name,articles.title&deep[articles][_sort]=-views&deep[articles][_limit]=1'
  curl '${items}/articles/1?fields=*,comments.body'
  curl '${items}/site'
  curl -g '${items}/articles?filter[titel]=x'

Stop it with Ctrl+C.`)
})
