// The built entry in a real browser, in a page and in a worker of it: `npm run test:browser`.
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { build } from 'esbuild'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHandler, toNode } from '../../src/http.ts'
import { createEngine, createItems } from '../../src/index.ts'
import { builtPrograms } from '../support/built.ts'
import { type Chromium, openChromium } from '../support/chromium.ts'
import { type OpenDatabase, openSqlite } from '../support/databases.ts'
import { portOf } from '../support/listening.ts'
import { type Answers, answers, memoryCases } from './answers.ts'
import { type EditedList, edits, schema } from './page/optimistic-list.ts'

const html = `<!doctype html><meta charset="utf-8"><script type="module">
  import { answers, editLists } from '/page.js'
  const inWorker = () => new Promise((resolve, reject) => {
    const worker = new Worker('/worker.js', { type: 'module' })
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
  })
  const report = (body) => fetch('/report', { method: 'POST', body: JSON.stringify(body) })
  Promise.all([answers(), inWorker(), editLists()]).then(
    ([page, worker, lists]) => report({ page, worker, lists }),
    (error) => report({ failed: String(error.stack) }),
  )
</script>`
const worker = `import { answers } from '/page.js'
postMessage(answers())`
const files: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/': ['text/html', html],
  '/worker.js': ['text/javascript', worker],
}

interface Report {
  readonly page: Answers
  readonly worker: Answers
  readonly lists: readonly EditedList[]
  readonly failed?: string
}

const programOf = builtPrograms({ index: 'src/index.ts', filter: 'src/filter.ts' })
let server: Server
let browser: Chromium | undefined
let report: Report
const ours: Answers = JSON.parse(JSON.stringify(answers()))

beforeAll(async () => {
  const opened = await openSqlite()
  const api = await apiOn(opened)
  const page = await bundledPage()
  server = createServer()
  const reported = new Promise<Report>((resolve, reject) => {
    server.on('request', (request, response) => {
      const { url = '' } = request
      if (url.startsWith('/api/')) return void api(request, response)
      if (url === '/report') text(request).then((body) => resolve(JSON.parse(body)), reject)
      const [type, body] = { ...files, '/page.js': ['text/javascript', page] }[url] ?? ['text/plain', '']
      response.writeHead(200, { 'content-type': type }).end(body)
    })
  })
  const port = await portOf(server)
  browser = await openChromium(`http://127.0.0.1:${port}/`)
  report = await Promise.race([reported, browser.failed])
  if (report.failed !== undefined) throw new Error(report.failed)
})

afterAll(() => browser?.close())

/** The API of the optimistic list, with its items. */
async function apiOn({ db }: OpenDatabase) {
  await sql`create table people (id integer primary key, name text)`.execute(db)
  await sql`create table tasks (id integer primary key, title text, done boolean, due text, owner integer)`.execute(
    db,
  )
  const engine = createEngine({ db, schema })
  await createItems(engine, 'people', [
    { id: 1, name: 'Ada' },
    { id: 2, name: 'Bo' },
  ])
  await createItems(engine, 'tasks', [
    { id: 1, title: 'Bake', done: false, due: '2026-05-01', owner: 1 },
    { id: 2, title: 'Wash', done: false, due: '2026-05-02', owner: 1 },
    { id: 3, title: 'Iron', done: false, due: '2026-05-03', owner: 2 },
  ])
  return toNode(createHandler(engine, { authenticate: () => ({ admin: true }), prefix: '/api' }))
}

/** The page with the entry as it is built for the package. */
async function bundledPage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page/page.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    plugins: [
      {
        name: 'the built entry',
        setup: ({ onResolve }) =>
          onResolve({ filter: /\/src\/filter\.ts$/ }, () => ({ path: programOf('filter') })),
      },
    ],
  })
  return outputFiles[0]?.text ?? ''
}

describe.each(['page', 'worker'] as const)('in a %s of a browser', (place) => {
  it.each(memoryCases.map((one, index) => ({ ...one, index })))('$title', ({ expect: expected, index }) => {
    const found = report[place].matched[index]
    expect(typeof expected === 'string' ? Object(found).code : found).toEqual(expected)
  })

  it('all else is answered as on the server: SQL, query strings, bytes, dates, mistakes', () => {
    expect(report[place]).toEqual(ours)
  })
})

describe('an optimistic list', () => {
  it.each(edits.map((edit, index) => ({ ...edit, index })))('an item $title', ({ index }) => {
    const list = report.lists[index]
    expect(list?.before).toEqual(list?.after)
  })

  it('has shown each kind of change', () => {
    expect(report.lists.map(({ after }) => after)).toEqual([
      [1, 2],
      [2],
      [1, 2],
      [1],
      [1, 3],
      [1],
      [],
      [],
      [1],
    ])
  })
})
