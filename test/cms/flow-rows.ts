// Rows of flows and operations, as the service stores them.

import { createHash } from 'node:crypto'
import { insert } from '../support/databases.ts'
import type { Db } from './cms-server.ts'

export interface OperationRow {
  readonly key?: string | null
  readonly type?: string
  /** A text is stored as it is. */
  readonly options?: unknown
  /** Keys of operations, or their numbers. */
  readonly resolve?: string | number
  readonly reject?: string | number
}

export interface FlowRowOfService {
  readonly trigger?: string | null
  readonly status?: string
  readonly options?: unknown
  readonly first?: string | null
  readonly operations?: readonly OperationRow[]
}

/** The key that a name stands for. */
export function idOf(name: string): string {
  const digits = createHash('sha256').update(name).digest('hex')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}

const stored = (options: unknown): unknown =>
  options === undefined ? null : typeof options === 'string' ? options : JSON.stringify(options)

/** Stores a flow, and returns its key. */
export async function addFlow(db: Db, name: string, row: FlowRowOfService): Promise<string> {
  const { trigger = 'webhook', status = 'active', options = { method: 'POST' }, operations = [] } = row
  const id = idOf(name)
  const ids = operations.map((_, at) => idOf(`${name} ${at}`))
  const idWithKey = (key: string | number | undefined) =>
    ids[typeof key === 'number' ? key : operations.findIndex((one) => one.key === key)] ?? null
  const first = row.first === undefined ? (ids[0] ?? null) : row.first
  await insert(db, 'directus_flows', {
    id,
    name,
    color: '',
    status,
    trigger,
    options: stored(options),
    operation: first,
  })
  const rows = operations.map(({ key = 'a', type = 'log', options: written }, at) => ({
    id: ids[at],
    key,
    type,
    position_x: 1,
    position_y: 1,
    options: stored(written),
    flow: id,
  }))
  for (let at = 0; at < rows.length; at += 100)
    await insert(db, 'directus_operations', rows.slice(at, at + 100))
  for (const [at, { resolve, reject }] of operations.entries())
    if (resolve !== undefined || reject !== undefined)
      await db
        .updateTable('directus_operations')
        .set({ resolve: idWithKey(resolve), reject: idWithKey(reject) })
        .where('id', '=', ids[at])
        .execute()
  return id
}
