// Scripts: what they answer, what they reach, and how they are ended.

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { sql } from 'kysely'
import { build } from 'tsup'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  createFlows,
  defineFlow,
  type FlowDefinition,
  type Flows,
  type FlowsOptions,
  operationTypes,
  quickScript,
} from '../../../src/flows.ts'
import { createEngine, createItem, defineSchema, type Engine, isEngineError } from '../../../src/index.ts'
import { databases, openSqlite } from '../../support/databases.ts'
import { note, openWorld } from '../runs/world.ts'

let engine: Engine
let flows: Flows | undefined
/** Bounds that a machine under load keeps, and those of scripts that never end. */
const patient = quickScript({ timeoutMs: 600_000 })
const strict = quickScript({ timeoutMs: 300 })
beforeAll(async () => {
  const opened = await openSqlite()
  await sql`create table notes (id integer primary key)`.execute(opened.db)
  const schema = defineSchema({ notes: { fields: { id: { type: 'integer', key: true } } } })
  engine = createEngine({ db: opened.db, schema }) as unknown as Engine
})
afterEach(() => flows?.stop())
afterAll(async () => {
  patient.close()
  strict.close()
})

const scripted = (code: string, name = 'scripted'): FlowDefinition =>
  defineFlow({
    name,
    trigger: { on: 'flow' },
    access: 'nobody',
    first: 'before',
    operations: {
      before: { type: 'transform', options: { json: { n: '{{ $trigger.n }}' } }, resolve: 'ran' },
      ran: { type: 'script', options: { code } },
    },
  })

async function run(code: string, payload: unknown = { n: 1 }, options: Partial<FlowsOptions> = {}) {
  const types = { ...operationTypes, script: { ...operationTypes.script, timeoutMs: 600_000 } }
  flows = createFlows(engine, {
    script: patient,
    operationTypes: types,
    ...options,
    flows: [scripted(code)],
  })
  const end = await flows.run('scripted', payload, { inline: true })
  return end.state === 'succeeded' ? end.result : [end.error.code, end.error.message]
}

const exported = (body: string) => `module.exports = ${body}`

describe('a script', () => {
  it.each([
    ['(data) => data.$trigger.n + 1', 2],
    ['async ({ before, $last }) => [before, await $last]', [{ n: 1 }, { n: 1 }]],
    ['function () { return arguments.length }', 1],
    ['() => undefined', null],
    ['() => null', null],
    [
      '() => ({ a: undefined, b: [undefined], c: new Date(0), d: NaN })',
      { b: [null], c: '1970-01-01T00:00:00.000Z', d: null },
    ],
    ['() => ({ toJSON: () => undefined })', null],
    ['(data) => Object.keys(data)', ['$trigger', '$last', '$accountability', 'before']],
    ['() => "{{ $trigger.n }}"', '{{ $trigger.n }}'],
    ['() => "\\ud800 \\u0000 ä"', '\ud800 \u0000 ä'],
  ])('answers what its function returns: %s', async (body, result) => {
    const found = await run(exported(body))
    expect(
      Array.isArray(result) && Array.isArray(found)
        ? found.filter((one) => one !== '$accountability')
        : found,
    ).toEqual(Array.isArray(result) ? result.filter((one) => one !== '$accountability') : result)
  })

  it('knows nothing of the one before', async () => {
    await run(
      exported('() => { globalThis.kept = 1; Array.prototype.kept = 1; JSON.stringify = null; return 1 }'),
    )
    expect(await run(exported('() => [typeof kept, [].kept, typeof JSON.stringify]'))).toEqual([
      'undefined',
      null,
      'function',
    ])
  })

  it('reaches nothing', async () => {
    const names = [
      'require',
      'process',
      'console',
      'fetch',
      'setTimeout',
      'WebAssembly',
      'Worker',
      'Buffer',
      'std',
      'os',
      'print',
    ]
    const types = `[${names.map((name) => `typeof ${name}`).join(', ')}]`
    expect(new Set((await run(exported(`() => ${types}`))) as string[])).toEqual(new Set(['undefined']))
    expect(await run(exported('() => import("node:fs")'))).toMatchObject([
      'INVALID_PAYLOAD',
      /^The script has failed/,
    ])
  })

  it.each([
    '(data) => constructor.constructor("return process")()',
    '(data) => data.constructor.constructor("return process")()',
    '(data) => data.__proto__.constructor.constructor("return this.process.env")()',
    '(data) => data.$trigger.__proto__.__proto__.constructor',
    '(data) => (function () { return this })().process.env',
  ])('gets out of no prototype: %s', async (body) => {
    expect(await run(exported(body))).toMatchObject(['INVALID_PAYLOAD', /^The script has failed at line 1/])
  })

  it('sees keys such as __proto__ as they are, and changes no object of ours', async () => {
    const payload = JSON.parse('{"n":1,"__proto__":{"polluted":1}}')
    expect(
      await run(
        exported('(data) => { Object.prototype.polluted = 1; data.$trigger.n = 9; return data.$trigger }'),
        payload,
      ),
    ).toMatchObject({ n: 9 })
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(payload.n).toBe(1)
  })

  it('sees no secret', async () => {
    const secrets = { KEY: 'a-secret-of-the-host' }
    expect(
      await run(
        exported('(data) => [data.$env ?? null, JSON.stringify(data).includes("a-secret")]'),
        { n: 1 },
        { secrets },
      ),
    ).toEqual([null, false])
  })

  it.each([
    ['let let = 1', 1, 5, /^SyntaxError/],
    ['module.exports = () => {\n  a b\n}', 2, undefined, /^SyntaxError/],
    ['module.exports = () => {\n  throw new Error("no")\n}', 2, undefined, /^Error: no$/],
    ['module.exports = () => {\n\n  data.x.y\n}', 3, undefined, /^ReferenceError: /],
    ['throw new RangeError("far")', 1, undefined, /^RangeError: far$/],
  ])('that is wrong says where: %j', async (code, line, column, says) => {
    const [error, message = ''] = (await run(code)) as string[]
    const [, foundLine, foundColumn, rest] =
      /^The script has failed at line (\d+), column (\d+): (.*)$/.exec(message) ?? []
    expect([error, Number(foundLine)]).toEqual(['INVALID_PAYLOAD', line])
    if (column !== undefined) expect(Number(foundColumn)).toBe(column)
    expect(rest).toMatch(says)
  })

  it.each([
    ['1', 'TypeError: module.exports is no function'],
    ['exports.x = () => 1', 'TypeError: module.exports is no function'],
    [exported('() => () => 1'), 'TypeError: a function is no JSON'],
    [exported('() => ({ f() {} })'), 'TypeError: a function is no JSON'],
    [exported('() => Symbol()'), 'TypeError: a symbol is no JSON'],
    [exported('() => 1n'), 'TypeError: a bigint is no JSON'],
    [exported('() => { const a = {}; a.a = a; return a }'), 'TypeError: circular reference'],
    [exported('() => new Promise(() => {})'), 'it waits for what never comes'],
    [exported('() => "x".repeat(1100000)'), 'it answers more than 1,048,576 characters'],
    [exported('() => { throw "text" }'), '"text"'],
    [exported('() => { throw null }'), 'null'],
    [exported('() => { throw { a: 1 } }'), '{"a":1}'],
    [exported('() => { throw 10n }'), '10'],
    [exported('() => { throw Symbol("x") }'), 'symbol'],
    [exported('() => { throw null }'), 'null'],
    [exported('() => { throw { stack: { toString() { throw 1 } } } }'), '{"stack":{}}'],
    [exported('() => { throw new Error("x".repeat(1e6)) }'), `Error: ${'x'.repeat(293)}`],
    [exported('() => { const f = () => f() + 1; return f() }'), 'InternalError: stack overflow'],
  ])('that answers no JSON is a reject: %s', async (code, message) => {
    const [error, found = ''] = (await run(code)) as string[]
    expect([error, found.replace(/^The script has failed( at line \d+, column \d+)?: /, '')]).toEqual([
      'INVALID_PAYLOAD',
      message,
    ])
    expect(await run(exported('() => 1'))).toBe(1)
  })
})

describe('a script that does not end', () => {
  const outOfTime = ['OUT_OF_TIME', 'The script has not ended within its time or its memory.']
  const endless = [
    'while (true) {}',
    exported('() => { while (true) {} }'),
    exported('() => { try { while (true) {} } finally { while (true) {} } }'),
    exported('async () => { for (;;) await 1 }'),
    exported('() => ({ toJSON() { for (;;); } })'),
    exported('() => { throw { get message() { for (;;); } } }'),
    exported('() => /^(a+)+$/.test("a".repeat(40) + "!")'),
    exported('() => Array(1e9).fill(1)'),
    exported('() => new Array(2e9).join("ab")'),
    exported('() => "x".repeat(1e9)'),
    exported('() => { const a = new Uint8Array(1.5e7); for (;;) a.fill(1) }'),
    exported('() => { const all = []; for (;;) all.push(new Uint8Array(1e6)) }'),
    exported('() => { const all = []; for (;;) all.push({}) }'),
    exported('() => { const all = []; for (;;) try { all.push(new Uint8Array(1e6)) } catch {} }'),
    exported('() => [..."x".repeat(1e6)].sort(() => { for (;;); })'),
  ]
  it.each(endless)('is ended, and the next one runs: %s', async (code) => {
    expect(await run(code, {}, { script: strict })).toEqual(outOfTime)
    expect(await run(exported('() => 1'))).toBe(1)
  })

  it('runs again in a new thread, and leaves no memory behind', async () => {
    const taking = exported('() => { const all = []; for (;;) all.push(new Uint8Array(1e6)) }')
    const small = quickScript({ timeoutMs: 2_000 })
    const rss = async () => {
      await pause(200)
      return process.memoryUsage().rss
    }
    for (let round = 0; round < 3; round++) await run(taking, {}, { script: small })
    const before = await rss()
    for (let round = 0; round < 12; round++)
      expect(await run(taking, {}, { script: small })).toEqual(outOfTime)
    // Without a bound one alone would be some hundred MiB, and twelve threads with their 16 MiB would be 192 and more.
    expect((await rss()) - before).toBeLessThan(128 * 1024 * 1024)
    small.close()
  })

  it('is ended with the time of its operation while it waits for others', async () => {
    const signal = AbortSignal.timeout(50)
    const script = quickScript({ timeoutMs: 2_000 })
    const first = script
      .run('while (true) {}', {}, new AbortController().signal)
      .catch((error: unknown) => error)
    const second = await script.run(exported('() => 1'), {}, signal).catch((error: unknown) => error)
    const third = script.run(exported('() => 3'), {}, new AbortController().signal)
    expect([second, await first].map((error) => isEngineError(error) && error.code)).toEqual([
      'OUT_OF_TIME',
      'OUT_OF_TIME',
    ])
    expect(await third).toBe(3)
    await expect(script.run('1', {}, AbortSignal.abort())).rejects.toMatchObject({ code: 'OUT_OF_TIME' })
    script.close()
  })

  it('is ended with its run, and the next one runs', async () => {
    const script = quickScript({ timeoutMs: 60_000 })
    const ending = new AbortController()
    const first = script.run('while (true) {}', {}, ending.signal).catch((error: unknown) => error)
    await pause(500)
    ending.abort()
    expect(await first).toMatchObject({ code: 'OUT_OF_TIME' })
    expect(await script.run(exported('() => 1'), {}, new AbortController().signal)).toBe(1)
    script.close()
  })
})

it('a hundred scripts at once hold up no write', async () => {
  const script = quickScript({ timeoutMs: 600_000 })
  const signal = new AbortController().signal
  const order: string[] = []
  const scripts = Array.from({ length: 100 }, () =>
    script.run(exported('() => { for (let n = 0; n < 20000; n++); return 1 }'), {}, signal).then(
      () => order.push('script'),
      () => order.push('script'),
    ),
  )
  await createItem(engine as never, 'notes', { id: 1 })
  order.push('write')
  await Promise.all(scripts)
  expect(order).toHaveLength(101)
  expect(order.at(-1)).toBe('script')
  script.close()
})

it.each(databases)('on $name: a hundred runs that wait for scripts hold no lock', async (database) => {
  const world = await openWorld(database)
  let waiting = 0
  let release = () => {}
  const written = new Promise<void>((resolve) => {
    release = resolve
  })
  // They end once all writes have: one that waited for a script would wait for ever.
  const script: FlowsOptions['script'] = {
    run: async () => {
      waiting++
      await written
    },
    close: () => undefined,
  }
  const made = await world.start({
    script,
    operationTypes: {
      ...operationTypes,
      script: { ...operationTypes.script, timeoutMs: Number.POSITIVE_INFINITY },
    },
    flows: [
      defineFlow({
        name: 'after',
        trigger: { on: 'items.create', collections: ['articles'], when: 'after' },
        access: 'full',
        first: 'before',
        operations: {
          before: { ...note('before'), resolve: 'ran' },
          ran: { type: 'script', options: { code: 'x' }, resolve: 'behind' },
          behind: note('behind'),
        },
      }),
      scripted('x', 'inline'),
    ],
    perProcess: 100,
  })
  for (let count = 0; count < 50; count++) await createItem(world.engine, 'articles', { title: 'a' })
  const inline = Array.from({ length: 50 }, () => made.run('inline', {}, { inline: true }))
  await expect.poll(() => waiting, { timeout: 60_000 }).toBe(100)
  for (let count = 0; count < 20; count++) await createItem(world.engine, 'notes', { text: 'written' })
  release()
  expect(new Set((await Promise.all(inline)).map(({ state }) => state))).toEqual(new Set(['succeeded']))
  await world.settle()
  expect((await world.runs()).filter(({ state }) => state === 'succeeded')).toHaveLength(50)
  expect((await world.notes()).toSorted()).toEqual(
    ['before', 'behind', 'written'].flatMap((text) => Array<string>(text === 'written' ? 20 : 50).fill(text)),
  )
})

it('a thread that is closed begins again, and one that runs is closed once it does nothing', async () => {
  const threads: Promise<unknown>[] = []
  const listen = (thread: Worker) => threads.push(once(thread, 'exit'))
  process.on('worker', listen)
  const script = quickScript({ timeoutMs: 600_000 })
  const signal = new AbortController().signal
  const running = [1, 2].map((n) => script.run(exported(`() => ${n}`), {}, signal))
  script.close()
  expect(await Promise.all(running)).toEqual([1, 2])
  await threads[0]
  expect(await script.run(exported('() => 3'), {}, signal)).toBe(3)
  expect(threads).toHaveLength(2)
  script.close()
  await threads[1]
  process.off('worker', listen)
})

it('scripts of the host run in place of ours', async () => {
  const script: FlowsOptions['script'] = {
    run: async (code, data) => [code, Object.keys(data).length > 0],
    close: () => undefined,
  }
  expect(await run('own', {}, { script })).toEqual(['own', true])
})

it.each([
  [{ timeoutMs: 0 }],
  [{ memoryBytes: '16' }],
  [{ memoryBytes: 1_000 }],
  [{ memoryBytes: 2 ** 33 }],
  [{ timeoutMs: 2 ** 32 }],
  [{ timeout: 100 }],
])('bounds that are none are refused: %j', (options) => {
  expect(() => quickScript(options as never)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
})

it('a process that has run scripts ends by itself', async () => {
  const flowsEntry = new URL('../../../src/flows.ts', import.meta.url).href
  const program = `
    const { quickScript } = await import(${JSON.stringify(flowsEntry)})
    const script = quickScript({ timeoutMs: 600_000 })
    console.log(await script.run('module.exports = () => 7', {}, new AbortController().signal))`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', program],
    {
      cwd: new URL('../../..', import.meta.url),
    },
  )
  expect(stdout).toBe('7\n')
})

it('a host that is bundled as CommonJS, where no module has an address, runs scripts', async () => {
  const cache = join(import.meta.dirname, '../../../node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'quernel-bundled-'))
  const source = join(folder, 'host.ts')
  await writeFile(
    source,
    `import { quickScript } from ${JSON.stringify(join(import.meta.dirname, '../../../src/flows.ts'))}
    quickScript({ timeoutMs: 600_000 })
      .run('module.exports = () => 7', {}, new AbortController().signal)
      .then(console.log)`,
  )
  await build({
    entry: { host: source },
    format: 'cjs',
    outDir: folder,
    config: false,
    silent: true,
    skipNodeModulesBundle: true,
  })
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'host.cjs')], {
    cwd: tmpdir(),
  })
  expect(stdout).toBe('7\n')
  await rm(folder, { recursive: true })
})
