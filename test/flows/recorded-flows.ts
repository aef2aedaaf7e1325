// Flows as a service has run them: their definitions as ours, and what was answered.
import { type Kysely, sql } from 'kysely'
import { type AnyTables, insert } from '../support/databases.ts'
import { jsonLines } from '../support/json-lines.ts'

interface RecordedOperation {
  readonly key: string
  readonly type: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly resolve?: string
  readonly reject?: string
}

export interface RecordedFlow {
  readonly trigger: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly operations: readonly RecordedOperation[]
}

interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** A request to a flow, and what was answered. */
export interface RecordedExchange {
  readonly request: RecordedRequest
  readonly response: { readonly status: number; readonly body?: unknown }
}

interface RecordedLog {
  readonly revision: {
    readonly steps: readonly { readonly key: string; readonly status: string }[]
    readonly data: { readonly $last: unknown }
  } | null
}

/** A request, or what was found afterwards. */
export interface RecordedRun extends Partial<RecordedExchange> {
  readonly log?: readonly RecordedLog[]
  /** Items that were there, by the parts of a case that look at them. */
  readonly tags?: readonly unknown[]
  readonly things?: { readonly before: unknown; readonly after: unknown }
  readonly made?: unknown
  readonly madeUntilStopped?: unknown
  /** Runs of a schedule, and the first of them. */
  readonly runsWithin2600ms?: number
  readonly first?: { readonly revisions: readonly { readonly data: RecordedLog['revision'] }[] }
  /** Status of a request that gave an operation the key of another one. */
  readonly renamed?: number
  readonly login?: number
  readonly runs?: number
  /** Requests that a server got. */
  readonly sinkGot?: readonly { readonly method: string; readonly url: string; readonly body: string }[]
  /** A token, and what was read from it. */
  readonly s?: string
  readonly v?: unknown
}

export interface RecordedCase {
  readonly name: string
  readonly flows: readonly RecordedFlow[]
  readonly runs: readonly RecordedRun[]
}

export const recorded = jsonLines<RecordedCase>('flows/recorded-flows.jsonl')

export const isExchange = (run: Partial<RecordedExchange>): run is RecordedExchange =>
  run.request !== undefined && run.response !== undefined

/** Flows inside of a write keep no record of what they did. */
export const isFilter = ({ options }: RecordedFlow): boolean => options?.type === 'filter'

/** The key of a flow, by its number in its case. */
export const idOf = (index: number): string =>
  `00000000-0000-4000-8000-00000000f${String(index).padStart(3, '0')}`

const idOfOperation = (flow: number, index: number): string =>
  idOf(flow).replace('-8000-', `-8${String(index).padStart(3, '0')}-`)

/** Stores flows as the service does, in tables that are created for them. `port`: of the server that they call. */
export async function storeFlows(
  db: Kysely<AnyTables>,
  flows: readonly RecordedFlow[],
  port: number,
): Promise<void> {
  await sql`create table directus_flows (id uuid primary key, status text not null, "trigger" text, options json, operation uuid)`.execute(
    db,
  )
  await sql`create table directus_operations (id uuid primary key, "key" text not null, type text not null, options json, resolve uuid, reject uuid, flow uuid not null)`.execute(
    db,
  )
  const stored = (options: unknown) =>
    JSON.stringify(options ?? null)
      .replaceAll('127.0.0.1:18580', `127.0.0.1:${port}`)
      .replace(/<flow:(\d+)>/g, (_, index) => idOf(Number(index)))
  for (const [index, { trigger, options, operations }] of flows.entries()) {
    const idWithKey = (key: string | undefined) => {
      const at = operations.findIndex((one) => one.key === key)
      return at < 0 ? null : idOfOperation(index, at)
    }
    const first = idWithKey(operations[0]?.key)
    const flow = { id: idOf(index), status: 'active', trigger, options: stored(options), operation: first }
    await db.insertInto('directus_flows').values(flow).execute()
    for (const [at, { key, type, options: settings, resolve, reject }] of operations.entries())
      await insert(db, 'directus_operations', {
        id: idOfOperation(index, at),
        key,
        type,
        options: stored(settings),
        resolve: idWithKey(resolve),
        reject: idWithKey(reject),
        flow: idOf(index),
      })
  }
}
