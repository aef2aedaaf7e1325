// What is read and checked of rows of flows: those that have changed, and no others.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  collectionFlows,
  createFlows,
  defineOperation,
  type Flows,
  operationTypes,
} from '../../../src/flows.ts'
import {
  createEngine,
  createItem,
  defineSchema,
  deleteItem,
  type Engine,
  updateItem,
} from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'

const text = { type: 'string', nullable: true } as const
const schema = defineSchema({
  articles: { fields: { id: { type: 'integer', key: true }, title: text } },
  flows: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string' },
      trigger: { type: 'json' },
      access: text,
      first: text,
      operations: { type: 'json', nullable: true },
      place: text,
    },
  },
})
type World = Engine<typeof schema>

const rows = 12

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let checks: number
  let reads: string[]
  const started: Flows[] = []
  const types = {
    ...operationTypes,
    counted: defineOperation({
      kind: 'pure',
      doc: 'Counts how often it is checked.',
      options: {},
      problemsOf: () => {
        checks += 1
        return []
      },
      run: () => null,
    }),
  }
  const row = (at: number, more: object = {}) => ({
    name: `row ${at}`,
    trigger: { on: 'flow' },
    access: 'nobody',
    first: 'a',
    operations: { a: { type: 'counted', options: {} } },
    ...more,
  })
  const engineOver = (): World =>
    createEngine({
      db: opened.db,
      schema,
      onQuery: ({ sql: statement }) => {
        if (/select.*from "flows"/i.test(statement)) reads.push(statement)
      },
    })
  const openFlows = async (engine: World, limits: object = {}, pollMs = 600_000) => {
    const flows = createFlows(engine as unknown as Engine, {
      operationTypes: types,
      pollMs,
      flows: [
        collectionFlows('flows', {
          access: ['nobody'],
          collections: ['articles'],
          operations: ['counted', 'transform', 'condition'],
          ...limits,
        }),
      ],
      access: () => null,
    })
    started.push(flows)
    await flows.start()
    return flows
  }
  const states = (flows: Flows) =>
    Object.fromEntries(flows.status().flows.map((one) => [one.name, one.problems[0]?.message ?? one.state]))

  beforeEach(async () => {
    opened = await open()
    checks = 0
    reads = []
    const key = name === 'sqlite' ? 'integer primary key' : 'serial primary key'
    const json = name === 'sqlite' ? 'text' : 'jsonb'
    await opened.run(
      `create table articles (id ${key}, title text)`,
      `create table flows (id ${key}, name text not null, "trigger" ${json} not null, access text, first text, operations ${json}, place text)`,
    )
  })
  afterEach(async () => {
    vi.useRealTimers()
    for (const flows of started.splice(0)) await flows.stop()
  })

  it('a row that is saved is read and checked, and no other one is', async () => {
    const engine = engineOver()
    for (let at = 1; at <= rows; at++) await createItem(engine, 'flows', row(at))
    const flows = await openFlows(engine)
    expect(checks).toBe(rows)
    await updateItem(engine, 'flows', 3, { operations: { b: { type: 'counted', options: {} } }, first: 'b' })
    expect(checks).toBe(rows + 1)
    // One that is only touched is read, and not checked.
    await updateItem(engine, 'flows', 4, { place: 'elsewhere' })
    await createItem(engine, 'flows', row(0, { name: 'row 3' }))
    expect(checks).toBe(rows + 2)
    expect(flows.status().flows.map((one) => one.state)).toEqual([...Array(rows).fill('active'), 'disabled'])
    await deleteItem(engine, 'flows', 3)
    expect(checks).toBe(rows + 2)
    expect(flows.status().flows.map((one) => one.name)).toContain('row 3')
    expect(Object.values(states(flows))).toEqual(Array(rows).fill('active'))
  })

  it('another process asks for marks, and reads the row whose mark is another', async () => {
    const engine = engineOver()
    for (let at = 1; at <= rows; at++) await createItem(engine, 'flows', row(at))
    const flows = await openFlows(engine, {}, 5)
    reads.length = 0
    await expect.poll(() => reads.length).toBeGreaterThan(5)
    const isMark = (statement: string) => /quote\(|md5\(/.test(statement)
    expect(reads.filter((one) => !isMark(one))).toEqual([])
    await opened.run("update flows set name = 'renamed' where id = 2")
    await expect.poll(() => Object.keys(states(flows))).toContain('renamed')
    expect(reads.filter((one) => !isMark(one))).toHaveLength(1)
    expect(checks).toBe(rows + 1)
  })

  it('a row that a hook hides is no flow, and one that it shows again is', async () => {
    const engine = engineOver()
    engine.on(
      'items.read',
      'flows',
      ({ query }: { readonly query?: { readonly filter?: object } | undefined }) => ({
        ...query,
        filter: { _and: [query?.filter ?? {}, { place: { _null: true } }] },
      }),
      {
        when: 'before',
      },
    )
    await createItem(engine, 'flows', row(1))
    const flows = await openFlows(engine)
    expect(states(flows)).toEqual({ 'row 1': 'active' })
    await updateItem(engine, 'flows', 1, { place: 'bin' })
    expect(states(flows)).toEqual({})
    await opened.run('update flows set place = null')
    await createItem(engine, 'flows', row(2))
    expect(states(flows)).toEqual({ 'row 1': 'active', 'row 2': 'active' })
  })

  it('a row has 64 kB and 1,000 conditions, unless the host says otherwise', async () => {
    const engine = engineOver()
    const long = { a: { type: 'transform', options: { json: 'x'.repeat(65_536) } } }
    const filter = (count: number) => ({
      a: {
        type: 'condition',
        options: { filter: { _or: Array.from({ length: count }, () => ({ $trigger: { n: { _eq: 1 } } })) } },
      },
    })
    await createItem(engine, 'flows', row(1, { operations: long }))
    await createItem(engine, 'flows', row(2, { operations: filter(1_000) }))
    await createItem(engine, 'flows', row(3, { operations: filter(1_001) }))
    expect(states(await openFlows(engine))).toEqual({
      'row 1': 'The row has more than 65,536 bytes as JSON, or nests too deep.',
      'row 2': 'active',
      'row 3': 'The row has more than 1,000 conditions in its filters.',
    })
    const others = await openFlows(engine, { limits: { bytes: 100_000, conditions: 2_000 } })
    expect(new Set(Object.values(states(others)))).toEqual(new Set(['active']))
    const none = { access: [], collections: [], operations: [], limits: { bytes: 0 } }
    expect(() => collectionFlows('flows', none)).toThrow(/limits\.bytes|whole number/)
  })

  const sqliteAlone = name === 'sqlite' ? it : undefined
  sqliteAlone?.('rests ten times as long as a look has taken', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    let takesMs = 0
    const engine = createEngine({
      db: opened.db,
      schema,
      onQuery: ({ sql: statement }) => {
        if (!/quote\(/.test(statement)) return
        reads.push(statement)
        vi.advanceTimersByTime(takesMs)
      },
    })
    await openFlows(engine, {}, 10)
    takesMs = 50
    reads.length = 0
    const elapse = async (milliseconds: number) => {
      await vi.advanceTimersByTimeAsync(milliseconds)
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    }
    await elapse(10)
    expect(reads).toHaveLength(1)
    await elapse(499)
    expect(reads).toHaveLength(1)
    await elapse(1)
    expect(reads).toHaveLength(2)
  })
})
