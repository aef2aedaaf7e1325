// Items whose keys are the numbers of their rows, inside of other items. The database may have given a number to another row since a client has
// read it, and inside of a payload nothing says which row was meant. A host's own code may name them.
import type { EngineInternals } from '../../engine/engine.ts'
import { fault, type Path, quote } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { keyInItem } from '../../plan/key.ts'
import type { Child, ItemData } from '../../plan/write/changes.ts'
import { readPayload } from '../../plan/write/payload.ts'
import { type Collection, isRowNumber, type Schema } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { memoFor } from '../../values/memo.ts'
import { refuseLongIn } from './long-lists.ts'
import { gateOf, writtenFields } from './writable-fields.ts'

/** Refuses of payloads that come from outside, one or a list, what a host's own code may write: lists that are too long, and nested items that are named by such
 *  numbers. */
export function refuseFromOutside(
  engine: EngineInternals,
  name: string,
  payloads: unknown,
  path: Path = [],
): void {
  const { schema } = engine.whole()
  const collection = schema.collections.get(name)
  refuseLongIn(engine, collection, payloads, path)
  if (!collection || !hasRowNumbers(schema)) return
  const problems = new Problems('PRECONDITION_REQUIRED')
  const reading = { engine, reaches: gateOf(engine).reaches, problems }
  if (isRecord(payloads)) check(collection, payloads, { path, depth: 0 }, reading)
  else if (Array.isArray(payloads))
    for (const [index, one] of payloads.entries())
      if (isRecord(one)) check(collection, one, { path: [...path, index], depth: 0 }, reading)
  problems.throwIfAny()
}

const known = new WeakMap<Schema, { readonly isAny: boolean }>()
const hasRowNumbers = (schema: Schema): boolean =>
  memoFor(known, schema, () => ({
    isAny: [...schema.collections.values()].some(({ key }) => isRowNumber(key)),
  })).isAny

interface Reading {
  readonly engine: EngineInternals
  readonly reaches: ReturnType<typeof gateOf>['reaches']
  readonly problems: Problems
}

interface Place {
  readonly path: Path
  readonly depth: number
}

/** A call refuses by itself what is nested deeper than that. */
const mostLevels = 100

function check(collection: Collection, payload: ItemData, { path, depth }: Place, reading: Reading): void {
  if (depth > mostLevels) return
  const { targets, children } = readPayload(writableOf(collection, payload, reading.engine), {
    collection,
    path,
    // The call itself reports them.
    problems: new Problems('INVALID_PAYLOAD'),
    isKeyed: true,
    ...(reading.reaches && { reaches: reading.reaches }),
  })
  for (const target of targets) checkItem(target.collection, target.payload, target.path)
  for (const { relation, changes } of children) {
    for (const child of changes.children) checkChild(relation.target, child)
    for (const removed of changes.removed) refuseKey(relation.target, removed.path)
  }

  function checkChild(target: Collection, child: Child): void {
    if (child.kind === 'link') refuseKey(target, child.path)
    else checkItem(target, child.payload, child.path)
  }

  function checkItem(target: Collection, item: ItemData, at: Path): void {
    if ((keyInItem(target, item) ?? undefined) !== undefined) refuseKey(target, at)
    check(target, item, { path: at, depth: depth + 1 }, reading)
  }

  function refuseKey({ name, key }: Collection, at: Path): void {
    if (!isRowNumber(key)) return
    const says = `Items of ${quote(name)} have only the numbers of their rows for keys, which may change: inside of another item none can be named.`
    const hint = 'Read the item, and send its ETag as "If-Match" with a PATCH or DELETE of this item alone.'
    reading.problems.report(fault('PRECONDITION_REQUIRED', says, { path: at, hint }))
  }
}

/** Returns what the caller may write of an item. The rest is refused by the call, as if it did not exist. */
function writableOf(collection: Collection, payload: ItemData, engine: EngineInternals): ItemData {
  const fields = (['create', 'update'] as const).map(
    (action) => writtenFields(engine, collection, action).fields,
  )
  return Object.fromEntries(Object.entries(payload).filter(([name]) => fields.some((some) => some.has(name))))
}
