// The doors through which a drawn write reaches the engine.

import type { Kysely } from 'kysely'
import {
  createItem,
  deleteItem,
  type Engine,
  isEngineError,
  type Schema,
  updateItem,
  upsertItem,
} from '../../../src/index.ts'
import type { AnyTables } from '../../support/databases.ts'
import type { Write } from './model.ts'

/** What is answered, or the errors with their codes and paths. */
export type Told =
  | { readonly answer: unknown }
  | {
      readonly problems: readonly { readonly code: string; readonly path: string }[]
      readonly message: string
    }

export type Door = (engine: Engine<Schema>, write: Write, db: Kysely<AnyTables>) => Promise<unknown>

export const doors: Readonly<Record<string, Door>> = {
  function: (engine, write) => call(engine, write),
  transaction: (engine, write) => engine.transaction((inside) => call(inside, write)),
  host: (engine, write, db) =>
    db.transaction().execute((transaction) => call(engine.using(transaction), write)),
}

export function call(engine: Engine<Schema>, write: Write): Promise<unknown> {
  const query = write.fields ? { fields: [...write.fields] } : {}
  if (write.verb === 'create') return createItem(engine, 'notes', write.data, query)
  if (write.verb === 'update') return updateItem(engine, 'notes', write.key, write.data, query)
  if (write.verb === 'delete') return deleteItem(engine, 'notes', write.key)
  return upsertItem(engine, 'notes', write.data, query, write.on === 'id' ? {} : { on: write.on })
}

export const toldBy = (calling: Promise<unknown>): Promise<Told> =>
  calling.then(
    (answer) => ({ answer: answer ?? null }),
    (error: unknown) => {
      if (!isEngineError(error)) throw error
      const all = error.errors ?? [error]
      return {
        problems: all.map(({ code, path = [] }) => ({ code, path: path.join('.') })),
        message: error.message,
      }
    },
  )
