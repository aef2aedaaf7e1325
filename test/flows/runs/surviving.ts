// A flow that tests kill: database steps, steps outside of the database, and a loop of both.
import { appendFileSync, existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { z } from 'zod'
import { createFlows, defineFlow, defineOperation, operationTypes } from '../../../src/flows.ts'
import { createEngine, defineSchema } from '../../../src/index.ts'
import type { AnyTables } from '../../support/databases.ts'
import { integer, key, string, text } from '../../support/fields.ts'

const schema = defineSchema({
  orders: { fields: { id: key, state: text } },
  lines: { fields: { id: key, owner: integer, text: string } },
})

export async function createTables(db: Kysely<AnyTables>, kind: 'sqlite' | 'postgres'): Promise<void> {
  const key = kind === 'sqlite' ? 'integer primary key' : 'serial primary key'
  await sql.raw('create table orders (id integer primary key, state text)').execute(db)
  await sql.raw(`create table lines (id ${key}, owner integer not null, text text not null)`).execute(db)
}

/** The values of the loop. */
export const values = [1, 2, 3, 4] as const

const line = (text: string) => ({
  type: 'item-create' as const,
  options: { collection: 'lines', payload: { owner: '{{ $trigger.key }}', text } },
})

export interface SurvivingOptions {
  readonly db: Kysely<AnyTables>
  /** File to which the steps outside of the database write. */
  readonly outside: string
  readonly leaseMs: number
  readonly onError?: (error: unknown) => void
  /** Called when a text was written. */
  readonly onTold?: (text: string) => void
}

/** The flows, and their engine. */
export function survivingFlows({
  db,
  outside,
  leaseMs,
  onError = () => undefined,
  onTold = () => undefined,
}: SurvivingOptions) {
  const types = {
    ...operationTypes,
    tell: defineOperation({
      kind: 'outside',
      doc: 'Writes a line to a file.',
      options: { text: { schema: z.string(), doc: 'The line.' } },
      run({ text }, { idempotencyKey }) {
        appendFileSync(outside, `${text} ${idempotencyKey}\n`)
        onTold(text)
        return text
      },
    }),
    linger: defineOperation({
      kind: 'outside',
      doc: 'Waits until a file is there.',
      options: {},
      async run(_options, { idempotencyKey }) {
        appendFileSync(outside, `linger ${idempotencyKey}\n`)
        while (!existsSync(`${outside}.go`)) await pause(20)
        return null
      },
      timeoutMs: 600_000,
    }),
  }
  const engine = createEngine({ db, schema, flows: {}, onError })
  const survive = defineFlow(
    {
      name: 'survive',
      trigger: { on: 'items.create', collections: ['orders'], when: 'after', returns: 'each' },
      access: 'full',
      first: 'one',
      operations: {
        one: { ...line('one'), resolve: 'two' },
        two: {
          type: 'item-update',
          options: { collection: 'orders', key: '{{ $trigger.key }}', payload: { state: 'two' } },
          resolve: 'out',
        },
        out: { type: 'tell', options: { text: 'out {{ $trigger.key }}' }, resolve: 'three' },
        three: { ...line('three {{ out }}'), resolve: 'each' },
        each: {
          type: 'for-each',
          options: {
            list: [...values],
            first: 'row',
            operations: {
              row: { ...line('loop {{ $item }}'), resolve: 'told' },
              told: { type: 'tell', options: { text: 'loop {{ $trigger.key }} {{ $item }}' } },
            },
          },
          resolve: 'other',
        },
        other: {
          type: 'trigger',
          options: { flow: 'child', payload: { key: '{{ $trigger.key }}' } },
          resolve: 'last',
        },
        last: line('last {{ other }}'),
      },
    },
    { operationTypes: types },
  )
  const child = defineFlow({
    name: 'child',
    trigger: { on: 'flow' },
    access: 'full',
    first: 'mine',
    operations: {
      mine: { ...line('child'), resolve: 'nap' },
      nap: { type: 'sleep', options: { milliseconds: 5 }, resolve: 'done' },
      done: { type: 'transform', options: { json: 'done' } },
    },
  })
  const poison = defineFlow(
    {
      name: 'poison',
      trigger: { on: 'flow' },
      access: 'full',
      first: 'before',
      operations: {
        before: { ...line('before'), resolve: 'die' },
        die: { type: 'tell', options: { text: 'poison {{ $trigger.key }}' } },
      },
    },
    { operationTypes: types },
  )
  const linger = defineFlow(
    {
      name: 'linger',
      trigger: { on: 'flow' },
      access: 'full',
      first: 'linger',
      operations: { linger: { type: 'linger', options: {} } },
    },
    { operationTypes: types },
  )
  const flows = createFlows(engine, {
    flows: [survive, child, poison, linger],
    operationTypes: types,
    leaseMs,
    pollMs: 50,
    onError,
  })
  return { engine, flows }
}

/** The lines that a run leaves, in their order. */
export const linesOf = (key: number): readonly string[] => [
  'one',
  `three out ${key}`,
  ...values.map((value) => `loop ${value}`),
  'child',
  'last done',
]

/** What is told outside, each at least once. */
export const toldOf = (key: number): readonly string[] => [
  `out ${key}`,
  ...values.map((value) => `loop ${key} ${value}`),
]
