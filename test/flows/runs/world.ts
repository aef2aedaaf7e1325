// Engines with flows whose runs are kept, for tests of one process.
import { type Kysely, sql } from 'kysely'
import { createFlows, type Flows, type FlowsOptions } from '../../../src/flows.ts'
import { createEngine, defineSchema, listItems } from '../../../src/index.ts'
import { atEnd } from '../../support/at-end.ts'
import type { AnyTables, TestDatabase } from '../../support/databases.ts'
import { key, string, text } from '../../support/fields.ts'

export const schema = defineSchema({
  articles: { fields: { id: key, title: text } },
  notes: { fields: { id: key, text: string } },
})

export interface World {
  readonly db: Kysely<AnyTables>
  readonly engine: ReturnType<typeof engineOver>
  readonly errors: unknown[]
  /** Called with each statement. */
  onStatement: ((sql: string) => void) | undefined
  /** Creates flows, and their tables. */
  flows(options: FlowsOptions): Promise<Flows>
  /** Creates flows that are at work. */
  start(options: FlowsOptions): Promise<Flows>
  /** The runs, in the order in which they began. */
  runs(): Promise<readonly RunItem[]>
  /** Waits until no run is due or running. */
  settle(): Promise<void>
  notes(): Promise<readonly string[]>
  /** Lets the database refuse runs in a state, and no others. */
  refuseState(state: string): Promise<void>
}

export interface RunItem {
  readonly id: string
  readonly flow: string
  readonly state: string
  readonly waits: string | null
  readonly lane: string | null
  readonly trigger: unknown
  readonly result: unknown
  readonly error: { readonly code: string; readonly message: string } | null
  readonly attempt: number
  readonly depth: number
  readonly user: string | null
  readonly tick: string | null
  readonly steps: readonly {
    readonly number: number
    readonly operation: string
    readonly status: string
    readonly result: unknown
    readonly error: unknown
    readonly attempt: number
  }[]
}

const engineOver = (
  db: Kysely<AnyTables>,
  onError: (error: unknown) => void,
  onQuery: (report: { readonly sql: string }) => void,
) => createEngine({ db, schema, flows: {}, onError, onQuery })

export async function openWorld({ name, open }: TestDatabase): Promise<World> {
  const { db } = await open()
  const key = name === 'sqlite' ? 'integer primary key' : 'serial primary key'
  await sql.raw(`create table articles (id ${key}, title text)`).execute(db)
  await sql.raw(`create table notes (id ${key}, text text not null)`).execute(db)
  const errors: unknown[] = []
  const engine = engineOver(
    db,
    (error) => errors.push(error),
    ({ sql }) => world.onStatement?.(sql),
  )
  const all: Flows[] = []
  atEnd(async () => {
    for (const flows of all) await flows.stop({ drainMs: 2_000 })
  })
  const fields = ['*', 'steps.*'] as const
  const runs = async () => {
    const { data } = await listItems(engine, 'quernel_runs', { fields, sort: ['number'], limit: -1 })
    return data as unknown as readonly RunItem[]
  }
  const world: World = {
    db,
    engine,
    errors,
    onStatement: undefined,
    flows: async (options) => {
      const flows = createFlows(engine, { pollMs: 50, ...options })
      all.push(flows)
      await flows.install()
      return flows
    },
    start: async (options) => {
      const flows = await world.flows(options)
      await flows.start()
      return flows
    },
    runs,
    settle: async () => {
      for (;;) {
        const due = (await runs()).filter(({ state }) => ['ready', 'running', 'waiting'].includes(state))
        if (due.length === 0) return
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    notes: async () =>
      (await listItems(engine, 'notes', { sort: ['id'], limit: -1 })).data.map(({ text }) => text),
    refuseState: async (state) => {
      const when = `when (new.state = '${state}')`
      const triggers =
        name === 'sqlite'
          ? [
              'drop trigger if exists refuse',
              `create trigger refuse before update on quernel_runs ${when} begin select raise(abort, 'No room.'); end`,
            ]
          : [
              "create or replace function refuse() returns trigger language plpgsql as 'begin raise ''No room.''; end'",
              `create or replace trigger refuse before update on quernel_runs for each row ${when} execute function refuse()`,
            ]
      for (const trigger of triggers) await sql.raw(trigger).execute(db)
    },
  }
  return world
}

/** An operation that writes a note. */
export const note = (text: string) => ({
  type: 'item-create' as const,
  options: { collection: 'notes', payload: { text } },
})
