// A server of one file's length: node:http, SQLite in memory, and Quernel for the filters.
import { createServer } from 'node:http'
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { createEngine, isEngineError, toErrorBody } from 'quernel'
import { sqliteDialect } from 'quernel/sqlite'
import { list } from './list.ts'
import { schema } from './schema.ts'
import { seed } from './seed.ts'

const database = new Database(process.env.DATABASE ?? ':memory:')
seed(database)
const engine = createEngine({ db: new Kysely({ dialect: sqliteDialect({ database }) }), schema })

const server = createServer(async (request, response) => {
  const answer = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    response.end(`${JSON.stringify(body, undefined, 2)}\n`)
  }
  try {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const [, items, collection = ''] = url.pathname.split('/')
    if (items !== 'items')
      return answer(200, {
        collections: [...engine.schema.collections.keys()].map((name) => `/items/${name}`),
      })
    answer(200, await list(engine, decodeURIComponent(collection), url.searchParams))
  } catch (error) {
    if (!isEngineError(error)) console.error(error)
    answer(isEngineError(error) ? error.status : 500, toErrorBody(error))
  }
})

const port = Number(process.env.PORT ?? 3000)
server.listen(port, () => {
  console.log(`Quernel's example listens on http://localhost:${port}. Try:

  curl 'http://localhost:${port}/items/articles?sort=-views&limit=2'
  curl -g 'http://localhost:${port}/items/articles?filter[author][name][_icontains]=ÅSE'
  curl -g 'http://localhost:${port}/items/articles?filter[comments][_none][author][country][_eq]=US&filter[status]=published'
  curl -g 'http://localhost:${port}/items/articles?filter[titel]=x'

Stop it with Ctrl+C.`)
})
