// Chooses how the items of a query are deleted. Rows that need not be looked at are deleted by statements that are made once for all queries
// of a shape.

import type { EngineInternals } from '../../engine/engine.ts'
import type { BindSettings } from '../../prepared/templates/bind.ts'
import { copyQuery } from '../../prepared/templates/copy-query.ts'
import { shapeOf } from '../../prepared/templates/query-shape.ts'
import {
  canServeOthers,
  compileWatching,
  type SharedRequest,
} from '../../prepared/templates/share-template.ts'
import {
  type BoundValues,
  bindValues,
  noBoundValues,
  openValuesOf,
} from '../../prepared/templates/template.ts'
import { keepFor, madeFor, type TemplateCache } from '../../prepared/templates/template-cache.ts'
import type { Collection } from '../../schema/model.ts'
import { Cache } from '../../values/cache.ts'
import { isRecord } from '../../values/guards.ts'
import { memoFor } from '../../values/memo.ts'
import { judging } from '../../writes/context/row-template.ts'
import type { WriteContext } from '../../writes/context/write-context.ts'
import type { Affected, BulkBounds } from '../../writes/lists/affected-rows.ts'
import {
  isDeletedAtOnce,
  isUnlocked,
  isWhole,
  type ListWrite,
  listWrite,
  statementsOf,
} from '../../writes/lists/list-write.ts'
import { runListWrite } from '../../writes/lists/run-list-write.ts'
import { deletionObligations } from '../../writes/obligations/deletion-obligations.ts'
import { limitsOf } from '../../writes/obligations/row-obligations.ts'
import type { Program } from '../../writes/program/run-program.ts'
import { lockedList, type SelectedRows } from '../../writes/stored/lock-selected.ts'
import { circumstancesOf } from '../read/read-request.ts'
import { readSelector, type SelectedItems, type SelectorInput } from '../selector.ts'

/** Items to delete: by their keys, by a list that is looked at, or by statements. */
export type ChosenDeletion =
  | SelectedItems
  | { readonly kind: 'unlocked'; readonly deletion: ListWrite; readonly boundValues: BoundValues }

/** Reads which items are deleted, and how. `collection`: as it is visible to the caller. */
export function chooseDeletion(
  input: SelectorInput,
  collection: Collection,
  engine: EngineInternals,
  bounds: BulkBounds,
): ChosenDeletion {
  if (!isUnlocked(collection, engine, bounds)) return readSelector(input, collection, engine)
  const query = input.query === undefined ? onlyQuery(input.selector) : undefined
  if (!query) return planned(readSelector(input, collection, engine), engine, bounds)
  return prepared(query, collection, engine, bounds)
}

function onlyQuery(selector: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(selector) || Object.keys(selector).length > 1) return undefined
  return isRecord(selector.query) ? selector.query : undefined
}

function planned(selected: SelectedItems, engine: EngineInternals, bounds: BulkBounds): ChosenDeletion {
  const deletion = selected.kind === 'list' ? listWrite(selected.list, engine.whole(), bounds) : undefined
  return deletion ? { kind: 'unlocked', deletion, boundValues: noBoundValues } : selected
}

/** Binds a query to the statements of its shape, or makes new ones. */
function prepared(
  query: Readonly<Record<string, unknown>>,
  collection: Collection,
  engine: EngineInternals,
  bounds: BulkBounds,
): ChosenDeletion {
  const request = {
    verb: bounds.keys === false ? 'delete' : 'delete, reporting',
    collection,
    query,
    key: undefined,
    circumstances: circumstancesOf(engine),
  } satisfies SharedRequest
  const settings: BindSettings = { limits: engine.limits, dialect: engine.dialect, isUnlimited: true }
  const shape = shapeOf(request)
  const cache = memoFor(caches, engine.templates, newCache)
  const known = shape && madeFor(shape, cache)
  const boundValues = known && bindValues(known.openValues, request, settings)
  if (boundValues) return { kind: 'unlocked', deletion: known.deletion, boundValues }

  const copy = shape && copyQuery(shape, request)
  const { made, variables } = compileWatching(copy ?? request, ({ query, circumstances }) =>
    planned(
      readSelector({ selector: { query }, query: undefined }, collection, engine, circumstances),
      engine,
      bounds,
    ),
  )
  if (made.kind !== 'unlocked' || !shape || !copy || known) return made
  const { deletion } = made
  const openValues = openValuesOf(statementsOf(deletion), [])
  if (isWhole(deletion.list) && canServeOthers(openValues, copy, settings, variables))
    keepFor(shape, { deletion, openValues }, cache)
  return made
}

interface DeletionTemplate {
  readonly deletion: ListWrite
  readonly openValues: ReturnType<typeof openValuesOf>
}

const caches = new WeakMap<object, TemplateCache<DeletionTemplate>>()
const newCache = (): TemplateCache<DeletionTemplate> => new Cache(deletionsKept)
/** Greatest number of templates. Programs delete by few shapes. */
const deletionsKept = 100

const locking = { use: 'removal', locked: [], values: noBoundValues } as const

/** Returns the deletion of a list's rows; undefined if each row has to be looked at, or if no rules limit the caller. */
export function limitedDeletion(
  { list, collection }: SelectedRows,
  writing: WriteContext,
  bounds: BulkBounds,
): Program<Affected> | undefined {
  const { caller, engine } = writing
  if (!judging.isByStatement || !isDeletedAtOnce(collection, engine, bounds)) return undefined
  const rules = deletionObligations(collection, caller, circumstancesOf(caller), list.condition)
  const limits = rules && limitsOf(rules, [], engine)
  const deletionOf = (rows: typeof list) =>
    limits && listWrite(rows, caller, bounds, { columns: undefined, limits })
  const deletion = deletionOf(list)
  return (
    deletion && {
      alone: async () => undefined,
      within: async (inside) => {
        const rows = rules?.needsLock ? await lockedList(list, { ...locking, limits }, inside) : list
        return runListWrite((rules?.needsLock && deletionOf(rows)) || deletion, noBoundValues, inside, bounds)
      },
    }
  )
}
