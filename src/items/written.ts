// What a writing verb answers: the items as they are now, shaped by the caller's query.
import type { Engine } from '../engine.ts'
import { fault } from '../errors.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import { readStored, type Storable } from '../plan/stored-value.ts'
import { keyText } from '../plan/write-plan.ts'
import { Problems } from '../problems.ts'
import type { Options } from '../run/execute.ts'
import { plan } from '../run/prepare.ts'
import type { Collection } from '../schema/model.ts'
import { isOneOf, keyMember, keyName, rowsOf } from '../writes/chosen.ts'
import { listRequest } from './request.ts'

/** How the answer looks. It is planned before anything is written, so that a mistake in it changes nothing. */
export function answerPlan(engine: Engine, collection: string, query: object | undefined): ListPlan {
  const problems = new Problems('INVALID_QUERY')
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && !shaping.has(name))
      problems.add(
        [name],
        `"${name}" has no meaning here; the query only shapes the items that are answered.`,
        hint,
      )
  problems.throwIfAny()
  return plan(listRequest(engine, collection, query, 'stream'), engine).list
}

const shaping: ReadonlySet<string> = new Set(['fields', 'deep', 'alias', 'backlink', 'meta'])
const hint = 'Use "fields", "deep", "alias" and "backlink".'

/** The items with some keys, in the order of the keys. */
export async function itemsWritten(
  shape: ListPlan,
  keys: readonly Storable[],
  engine: Engine,
  options: Options,
): Promise<readonly unknown[]> {
  if (keys.length === 0) return []
  const { collection, rows } = shape
  if (rows.kind !== 'items')
    throw fault('INVALID_QUERY', 'The items that were written are answered, and no groups.')
  const list: ListPlan = {
    ...shape,
    condition: isOneOf(collection, keys),
    order: [],
    page: { limit: undefined, offset: 0, isCut: false, isFixed: true, path: [] },
    rows: { kind: 'items', members: [...rows.members, keyMember(collection)] },
  }
  const found = new Map(
    (await rowsOf(list, { engine, options })).map((row) => {
      const { [keyName]: key, ...item } = Object(row)
      return [storedText(collection, key), item] as const
    }),
  )
  return keys.map((key) => found.get(keyText(key)))
}

function storedText({ key }: Collection, answer: unknown): string {
  const read = readStored(key, answer)
  return read.kind === 'value' ? keyText(read.value) : ''
}
