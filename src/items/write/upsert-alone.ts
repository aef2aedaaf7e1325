// Upserts of one item by two statements, of which the second one runs if the first one has found nothing: an update of the row that has the same
// values, and an insert. Each judges what it writes.
import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { isNameOfKey } from '../../plan/key.ts'
import { incrementedNames } from '../../plan/write/increment.ts'
import { looksFurther } from '../../plan/write/validate-item.ts'
import { mayReplace } from '../../writes/replaced-rows.ts'
import { canUndo, inOneUnit } from '../../writes/retry.ts'
import { hasTriggers, knownTriggers } from '../../writes/update/side-effects.ts'
import { takesTransaction } from '../../writes/update/single-statement.ts'
import type { Upsert, Upserted } from '../../writes/upsert/upsert-rows.ts'
import { newWriteContext } from '../../writes/write-context.ts'
import type { AnswerShape } from '../read/answer-shape.ts'
import { createUnlessThere } from './create-alone.ts'
import { updateByStatement } from './update-alone.ts'
import { leaveToOthers } from './upsert-together.ts'

type Answer = Upserted<readonly unknown[]>

/** Writes the only item of an upsert. Undefined if nothing is written: the general path writes it, or finds out what is in the way. */
export async function upsertAlone(
  upsert: Upsert & { readonly shape: AnswerShape },
  engine: EngineInternals,
  options: Options,
): Promise<Answer | undefined> {
  const { collection, on, items, shape } = upsert
  const [item, ...others] = items
  if (!item || others.length > 0 || isAttended(upsert, engine)) return undefined
  const { payload, rest, path, on: key } = item
  const isFoundAsStored = on.fields.every(({ value }) => engine.dialect.isFoundAsStored?.(value))
  const writing = newWriteContext(engine, options)
  // Some triggers fire before a row is inserted, even if it is not, and an insert that takes another row away takes one that may not be updated.
  if (knownTriggers(collection, writing) ?? (await hasTriggers(collection, writing))) return undefined
  if (await mayReplace(collection, writing)) return undefined
  const write = async (inside: EngineInternals): Promise<Answer | undefined> => {
    const change = { payload: rest, path, action: 'update', key } as const
    const updated = await updateByStatement(
      { collection, intent: change, shape, by: on.together },
      inside,
      options,
    )
    if (updated) return { result: updated, created: 0, updated: 1 }
    // Values that are equal may have other forms, which no index takes for the same.
    if (!isFoundAsStored) return undefined
    const intent = { payload, path, action: 'create' } as const
    const created = await createUnlessThere({ collection, intent, shape }, on.fields, inside, options)
    return created && { result: created, created: 1, updated: 0 }
  }
  const takesUnit = engine.unit !== undefined || collection.isVersioned || !shape.row(engine)
  if (takesUnit && !canUndo(engine)) return undefined
  try {
    return await (takesUnit ? inOneUnit(engine, options, write) : write(engine))
  } catch (error) {
    return leaveToOthers(error, upsert, engine)
  }
}

/** True if what one statement finds out is not enough: which of the two it is has to be known before the write, as where an update has nothing to
 *  write, or more than the row. */
const isAttended = ({ collection, items }: Upsert, engine: EngineInternals): boolean =>
  (['items.create', 'items.update'] as const).some((event) => takesTransaction(engine, event, collection)) ||
  items.some(
    ({ rest }) =>
      Object.keys(rest).length === 0 ||
      incrementedNames(collection, rest).length > 0 ||
      Object.keys(rest).some((name) => isNameOfKey(collection, name)),
  ) ||
  looksFurther(collection, engine.schema)
