// Programs that ask for no readers: what is loaded, and that no thread begins.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { build, type Metafile } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const folder = 'src/drivers/sqlite/readers/'
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quernel-without-'))
})
afterAll(() => rm(home, { recursive: true }))

async function bundle(contents: string): Promise<Metafile> {
  const { metafile } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts', sourcefile: 'program.ts' },
    bundle: true,
    splitting: true,
    outdir: home,
    outExtension: { '.js': '.mjs' },
    entryNames: 'program',
    absWorkingDir: root,
    format: 'esm',
    platform: 'node',
    metafile: true,
    logLevel: 'error',
  })
  return metafile
}

/** Files of readers that an entry loads before anything asks for more. */
function loaded({ outputs }: Metafile): readonly string[] {
  const found = new Set<string>()
  const seen = new Set<string>()
  const visit = (path: string) => {
    if (seen.has(path)) return
    seen.add(path)
    const { inputs = {}, imports = [] } = outputs[path] ?? {}
    for (const file of Object.keys(inputs)) if (file.startsWith(folder)) found.add(file.slice(folder.length))
    for (const { path: next, kind } of imports) if (kind === 'import-statement') visit(next)
  }
  visit(relative(root, join(home, 'program.mjs')))
  return [...found].sort()
}

const program = `import { createRequire } from 'node:module'
import { Kysely } from 'kysely'
import { createEngine, defineSchema, getItem, listItems } from './src/index.ts'
import { sqliteDialect } from './src/sqlite.ts'
const [path, reads, readers] = process.argv.slice(2)
let hasBegun = false
process.on('worker', () => { hasBegun = true })
const Database = createRequire(process.cwd() + '/')('better-sqlite3')
const database = new Database(path)
database.exec(\`pragma journal_mode = wal; create table if not exists notes (id integer primary key);
  with recursive n(id) as (select 1 union all select id + 1 from n where id < 6000) insert or ignore into notes select id from n\`)
const db = new Kysely({ dialect: sqliteDialect({ database, ...(readers && { readers: 1 }) }) })
const schema = defineSchema({ notes: { fields: { id: { type: 'integer', key: true } } } })
const engine = createEngine({ db, schema })
await getItem(engine, 'notes', 1)
if (reads === 'counts') await listItems(engine, 'notes', { aggregate: { count: '*' } })
await db.destroy()
console.log(hasBegun)`

it('load the options of readers and their function alone, and begin no thread', async () => {
  expect(loaded(await bundle(program))).toEqual(['kysely.ts', 'options.ts'])
  const beginsThread = async (...how: readonly string[]): Promise<unknown> => {
    const bundled = [join(home, 'program.mjs'), join(home, 'notes.db'), ...how]
    const { stdout } = await promisify(execFile)(process.execPath, bundled, { cwd: root })
    return JSON.parse(stdout)
  }
  expect(await beginsThread('counts')).toBe(false)
  expect(await beginsThread('reads by key', 'with readers')).toBe(false)
  expect(await beginsThread('counts', 'with readers')).toBe(true)
})
