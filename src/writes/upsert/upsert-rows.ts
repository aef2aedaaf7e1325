// Updates the items of an upsert that exist, and creates the others. They are looked for before anything is locked, so that hooks run first, and
// again under the locks. Where others have written meanwhile, all is undone and tried again.

import type { EngineInternals } from '../../engine/engine.ts'
import { type EngineError, fault, isEngineError } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { isSameKey, type Key, keyIdentity } from '../../plan/key.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { Collection } from '../../schema/model.ts'
import { canUndo, inOneUnit, pause } from '../context/retry.ts'
import { hasHooksBefore } from '../context/single-statement.ts'
import { newWriteContext, type WriteContext } from '../context/write-context.ts'
import type { Intent } from '../create-or-update.ts'
import { planWrites } from '../plan-writes.ts'
import { LostRace } from '../store-items.ts'
import { keyOfItem, keysIn } from '../stored/rows-by-key.ts'
import { withoutHooks, write } from '../write.ts'
import { type FoundItems, findItems, storedKeys, type Upsert } from './find-items.ts'
import type { OnFields } from './on-fields.ts'
import { twice, type UpsertItem } from './on-values.ts'
import { looksAt, rulesLookAt, writeInTurns } from './write-in-turns.ts'

/** A result, with the numbers of created and of updated items, and of those that a condition leaves as they are. */
export interface Upserted<Result> {
  readonly result: Result
  readonly created: number
  readonly updated: number
  readonly unchanged?: number
}

/** Maximum number of attempts while others write the same items. */
const mostAttempts = 20

/** Writes items in a transaction. `answer`: calls `write`, which returns their keys, and makes the result. */
export async function upsertRows<Result>(
  upsert: Upsert,
  engine: EngineInternals,
  options: Options,
  answer: (inside: EngineInternals, write: () => Promise<readonly Key[]>) => Promise<Result>,
): Promise<Upserted<Result>> {
  let before: string | undefined
  for (let number = 1; ; number++) {
    const attempt = new Attempt(upsert, before)
    try {
      return await inOneUnit(engine, options, async (inside) => {
        let [created, unchanged] = [0, 0]
        const result = await answer(inside, async () => {
          const { keys, written } = await attempt.write(newWriteContext(inside, options))
          created = written.filter(({ action }) => action === 'create').length
          unchanged = keys.length - written.length
          return keys
        })
        return { result, created, updated: upsert.items.length - created - unchanged, unchanged }
      })
    } catch (error) {
      if (!(error instanceof LostRace)) await requireRace(error, attempt, engine, options)
      if (number >= mostAttempts || !canUndo(engine)) throw error instanceof LostRace ? busy() : error
      before = error instanceof LostRace ? attempt.text : undefined
    }
    if (number > 2) await pause(Math.min(number, 4), options.signal)
  }
}

const busy = () =>
  fault('SERVICE_UNAVAILABLE', 'Others write the same items all the time.', { hint: 'Try again.' })

/** One attempt, and what it finds. */
class Attempt {
  readonly upsert: Upsert
  readonly #before: string | undefined
  /** Items that are left as they are, with their keys. */
  readonly #left = new Map<Intent, Key>()
  found: FoundItems | undefined

  /** `before`: what was found by an attempt in whose way something stood. */
  constructor(upsert: Upsert, before: string | undefined) {
    this.upsert = upsert
    this.#before = before
  }

  get text(): string {
    return textOf(this.found)
  }

  /** Writes what the condition does not leave as it is. The payloads of the others are read, too, so that their mistakes are found whatever is
   *  stored. */
  async write(writing: WriteContext): Promise<AttemptedWrite> {
    const { collection, on, items, where } = this.upsert
    const found = await findItems(this.upsert, writing)
    this.found = found
    // What stands in the way of a new item is not visible, or has the same value of another field: then its error is wanted.
    const mayFail = found.hasHidden || this.text === this.#before || !canUndo(writing.caller)
    const intents = items.map((item, at) => intentOf(item, found.keys[at], on, mayFail))
    for (const one of intents) this.#note(one, one.key, found)
    const left = this.#left
    await planWrites(collection, [...left.keys()], withoutHooks(writing))
    const verify = async () => {
      if (textOf(await findItems(this.upsert, writing)) !== textOf(found)) throw new LostRace()
    }
    const isAlone = writing.engine.dialect.lockRows === undefined && !isHooked(collection, writing)
    const isSeenAnew =
      items.length > 1 && (rulesLookAt(collection, writing) || (where && looksAt(where, collection)))
    const itemOf = new Map(intents.map((one, at) => [one, items[at]]))
    const find = async (one: Intent) => this.#findAgain(one, itemOf.get(one), writing)
    const inTurns = isSeenAnew ? { isLeft: (one: Intent) => left.has(one), find } : undefined
    const changing = inTurns ? intents : intents.filter((one) => !left.has(one))
    const all = isAlone ? writing : { ...writing, verify }
    const written = await writeInTurns(collection, changing, all, inTurns)
    writing.problems.throwIfAny()
    const keys = keysIn(written).values()
    return { keys: intents.flatMap((one) => left.get(one) ?? keys.next().value ?? []), written }
  }

  /** Returns what is done with an item as it is found now. */
  async #findAgain(
    intent: Intent,
    item: UpsertItem | undefined,
    { caller, options, moment }: WriteContext,
  ): Promise<Intent | undefined> {
    if (!item) return intent
    const writing = { ...newWriteContext(caller, options), moment }
    const now = await findItems({ ...this.upsert, items: [item] }, writing)
    const [key] = now.keys
    if (this.found && now.hasHidden) this.found = { ...this.found, hasHidden: true }
    this.#note(intent, key, now)
    if (this.#left.has(intent)) return undefined
    const isSame = intent.key === undefined ? !key && !now.hasHidden : isSameKey(key, intent.key)
    return isSame ? intent : intentOf(item, key, this.upsert.on, now.hasHidden || !canUndo(caller))
  }

  #note(intent: Intent, key: Key | undefined, { unchanged }: FoundItems): void {
    if (key !== undefined && unchanged.has(keyIdentity(key))) this.#left.set(intent, key)
    else this.#left.delete(intent)
  }
}

/** The keys of all items, and those that were written. */
interface AttemptedWrite {
  readonly keys: readonly Key[]
  readonly written: readonly ItemWrite[]
}

const textOf = (found: FoundItems | undefined): string =>
  JSON.stringify(
    found?.keys.map((key) => {
      const text = key === undefined ? '' : keyIdentity(key)
      return [text, found.unchanged.has(text)]
    }),
  )

const isHooked = (collection: Collection, { engine }: WriteContext): boolean =>
  (['items.create', 'items.update'] as const).some((event) => hasHooksBefore(engine, event, collection))

const intentOf = (
  { payload, rest, path }: UpsertItem,
  key: Key | undefined,
  { names: on }: OnFields,
  mayFail: boolean,
): Intent =>
  key === undefined
    ? { payload, path, action: 'create', on, isUnlessThere: !mayFail }
    : { payload: rest, path, action: 'update', key, on, isCheckedByUpdate: true }

/** Throws an error that does not come from a race: from an item that another caller has created meanwhile. */
async function requireRace(
  error: unknown,
  { upsert, found }: Attempt,
  engine: EngineInternals,
  options: Options,
): Promise<void> {
  if (!isEngineError(error) || error.code !== 'RECORD_NOT_UNIQUE') throw error
  const { columns = [] } = engine.dialect.breachOf(error.cause) ?? {}
  const { fields } = upsert.on
  const isOfThese = columns.length === fields.length && fields.every(({ column }) => columns.includes(column))
  if (!isOfThese || !found || found.hasHidden) throw error
  // A new item may be the same as one that exists and is written in this call, too.
  const repeated = upsert.items.length > 1 ? await repeatedItem(upsert, engine, options) : undefined
  if (repeated) throw repeated
  if (!engine.dialect.lockRows) throw error
}

/** Returns the error for an item that is the same as one before it for the database alone, which takes their values for equal. For that, the items
 *  are written one after the other, and all is undone. */
async function repeatedItem(
  upsert: Upsert,
  engine: EngineInternals,
  options: Options,
): Promise<EngineError | undefined> {
  const { collection, on, items } = upsert
  let repeated: EngineError | undefined
  const writeEach = async (inside: EngineInternals) => {
    const made = new Set<string>()
    for (const item of items) {
      const one = { ...upsert, items: [item] }
      const writing = newWriteContext(inside, options)
      // Of its own list's items a caller learns this much, also where they are hidden once they are written.
      const [stored] = await storedKeys(one, writing)
      if (stored !== undefined && made.has(keyIdentity(stored))) repeated = twice(on.names, item.path)
      if (repeated) break
      const { keys, unchanged } = await findItems(one, writing)
      const [key] = keys
      if (key !== undefined && unchanged.has(keyIdentity(key))) continue
      const intents = [intentOf(item, key, on, true)]
      for (const written of await write(collection, intents, newWriteContext(inside, options)))
        made.add(keyIdentity(keyOfItem(written)))
    }
    throw new LostRace()
  }
  try {
    await inOneUnit(engine, options, writeEach)
  } catch (error) {
    if (!isExpected(error)) throw error
  }
  return repeated
}

/** True for the end of such a search, and for items that another caller has written meanwhile. Anything else fails the call. */
const isExpected = (error: unknown): boolean =>
  error instanceof LostRace ||
  (isEngineError(error) && (error.code === 'RECORD_NOT_UNIQUE' || error.code === 'NOT_FOUND'))
