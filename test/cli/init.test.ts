// `quernel init` writes projects that compile, start, answer and pass their test.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { openPostgresUrl } from '../examples/postgres-url.ts'
import { openBoardProject } from '../support/board-project.ts'
import { diagnosticsOf, openCompiler, wordsOf } from '../support/compiler.ts'
import { runHere } from './command.ts'

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

describe('quernel init', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quernel-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('writes a project into an empty folder, and says how to go on', async () => {
    expect(await runHere(['init', folder])).toEqual({
      code: 0,
      out: `21 files are written. Go on with\n\n  cd ${folder}\n  npm install\n  npm test\n  npm start\n\nThe tokens in rules.ts are examples: put your sign-in there before others can reach the server.\n`,
      told: '',
    })
    const files = filesOf(folder)
    expect(files).toHaveLength(21)
    expect(files).toEqual(
      expect.arrayContaining(['.gitignore', 'database.ts', 'public/board.js', 'server.ts']),
    )
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies).toMatchObject({
      express: expect.any(String),
      quernel: '^0',
    })
  })

  it('makes the folder, and takes a server and a database', async () => {
    const made = join(folder, 'a/b')
    expect(await runHere(['init', '--server=next', '--database', 'postgres', made])).toMatchObject({
      code: 0,
    })
    expect(filesOf(made)).toContain('app/api/[...path]/route.ts')
    expect(readFileSync(join(made, 'database.ts'), 'utf8')).toContain("from 'pg'")
  })

  it('refuses a folder without a name, and quotes one for the shell', async () => {
    expect(await runHere(['init', ''])).toMatchObject({ code: 2, out: '' })
    expect((await runHere(['init', join(folder, "a b; it's")])).out).toContain(
      `cd '${folder}/a b; it'\\''s'\n`,
    )
  })

  it('writes nothing where something is', async () => {
    mkdirSync(join(folder, 'full'))
    writeFileSync(join(folder, 'full/.env'), '')
    writeFileSync(join(folder, 'file'), 'mine')
    for (const name of ['full', 'file'])
      expect(await runHere(['init', join(folder, name)])).toEqual({
        code: 1,
        out: '',
        told: `quernel: ${join(folder, name)} is not an empty folder.\n  Name a folder that is empty, or not there yet.\n`,
      })
    expect(filesOf(folder)).toEqual(['file', 'full/.env'])
  })

  it('says why nothing can be written', async () => {
    writeFileSync(join(folder, 'file'), 'mine')
    const { code, told } = await runHere(['init', join(folder, 'file/board')])
    expect(code).toBe(1)
    expect(told).toMatch(/^quernel: The project cannot be written: ENOTDIR/)
  })

  it.each([
    [['--server', 'koa'], '--server takes express, hono, next, and not "koa".'],
    [['--server', 'constructor'], '--server takes express, hono, next, and not "constructor".'],
    [['--database', ''], '--database takes sqlite, postgres, and not "".'],
    [['a', 'b'], 'One folder is enough; what is "b"?'],
  ])('refuses %j', async (words, message) => {
    const told = `quernel: ${message}\n  See quernel --help.\n`
    expect(await runHere(['init', ...words])).toEqual({ code: 2, out: '', told })
  })
})

describe('a project', () => {
  const board = openBoardProject()
  const servers = ['express', 'hono', 'next'] as const
  const combinations = servers.flatMap((server) =>
    (['sqlite', 'postgres'] as const).map((database) => ({
      server,
      database,
      name: `${server}-${database}`,
    })),
  )

  it('compiles, and names packages as they are tried here', async () => {
    const tried = new Map(Object.entries<string>(manifest.devDependencies))
    const paths: string[] = []
    for (const { server, database, name } of combinations) {
      const folder = join(board.folder(), name)
      await runHere(['init', folder, '--server', server, '--database', database])
      // Pages of Next need its types, which are not installed here.
      const compiled = (path: string) => path.endsWith('.ts') && path !== 'next.config.ts'
      paths.push(
        ...filesOf(folder)
          .filter(compiled)
          .map((path) => join(folder, path)),
      )
      const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      for (const [one, version] of Object.entries<string>({ ...dependencies, ...devDependencies }))
        if (tried.has(one))
          expect([one, version.replace(/^\^/, '')]).toEqual([one, tried.get(one)?.replace(/^\^/, '')])
    }
    const program = openCompiler().programOf(paths)
    const remarks = paths.flatMap((path) =>
      diagnosticsOf(program, path).map((one) => `${path}: ${wordsOf(one)}`),
    )
    expect(remarks).toEqual([])
  })

  it('starts, answers and passes its test: Hono over SQLite', async () => {
    await holds('hono-sqlite', {})
  })

  it('starts, answers and passes its test: Express over PostgreSQL', async () => {
    const { url, close } = await openPostgresUrl()
    try {
      await holds('express-postgres', { DATABASE_URL: url, TEST_DATABASE_URL: url })
    } finally {
      await board.stop()
      await close()
    }
  })

  async function holds(name: string, environment: NodeJS.ProcessEnv): Promise<void> {
    const test = ['--import', 'tsx', '--test', 'test/rules.test.ts']
    expect(await board.run(test, environment, name)).toMatch(/^[#ℹ] pass 5$/m)
    const address = await board.start(environment, name)
    const ask = async (path: string, body?: object) => {
      const response = await fetch(address + path, {
        headers: { authorization: 'Bearer ada', 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
      return response.text()
    }
    await ask('/api/items/cards', { title: 'Paint', place: 1.5 })
    expect(JSON.parse(await ask('/api/items/cards?fields=title,place,author.name'))).toEqual({
      data: [{ title: 'Paint', place: 1.5, author: { name: 'Ada' } }],
    })
    expect(await ask('/')).toContain('<title>Board</title>')
    expect(await ask('/board.css')).toContain('grid')
    expect(await ask('/quernel/client.js')).toContain('liveList')
    // Another address of this machine.
    const elsewhere = (one: string) => fetch(one.replace('localhost', '127.0.0.2'))
    await expect(elsewhere(address)).rejects.toThrow()
    expect(await board.stop()).toBe(0)
    const everywhere = await board.start({ ...environment, ...inDocker(name) }, name)
    expect((await elsewhere(everywhere)).status).toBe(200)
    expect(await board.stop()).toBe(0)
  }

  /** What the Dockerfile sets for the command that starts a project. */
  function inDocker(name: string): NodeJS.ProcessEnv {
    const lines = readFileSync(join(board.folder(), name, 'Dockerfile'), 'utf8').split('\n')
    expect(lines).toContain('CMD ["node", "--import", "tsx", "server.ts"]')
    const environment =
      lines
        .find((line) => line.startsWith('ENV '))
        ?.split(' ')
        .slice(1) ?? []
    return Object.fromEntries(environment.map((pair) => pair.split('=')))
  }
})
