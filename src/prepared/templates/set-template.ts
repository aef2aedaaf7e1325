// Templates of lists that are read for many value sets at once, each its own caller and query, by the keys of their items.

import type { Test } from '../../plan/filter/predicate.ts'
import { maxBytes, mayNestTooMuch, type StoredBytes } from '../../plan/read/answer-bytes.ts'
import { isAmong, keyMember, wholeList } from '../../plan/read/by-key.ts'
import { nestedLists } from '../../plan/read/nested-lists.ts'
import type { ListPlan, Page } from '../../plan/read/read-plan.ts'
import { compileMapper } from '../../rows/compile-mapper.ts'
import type { Mapper } from '../../rows/row.ts'
import type { Collection, Schema } from '../../schema/model.ts'
import { type SetStatement, setStatement } from '../../sql/sets/set-statement.ts'
import type { View } from '../../sql/view.ts'
import { Cache } from '../../values/cache.ts'
import { memoFor, once } from '../../values/memo.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { belowOf, mayExceed } from '../limits/nested-row-limit.ts'
import { planRequest, type ReadRequest } from '../plan-request.ts'
import type { EngineReader } from '../prepare.ts'
import type { BindSettings, OpenValue } from './bind.ts'
import { copyQuery } from './copy-query.ts'
import { type OpenShape, shapeOf } from './query-shape.ts'
import { canServeOthers, compileWatching } from './share-template.ts'
import { bindValues, openValuesOf } from './template.ts'
import { isSameShape, type QueryShape } from './write-shape.ts'

export interface SetReader extends EngineReader {
  readonly db: object
  /** Returns what is seen of collections at a time, if rules limit it. */
  readonly viewsAt?:
    | ((circumstances: Circumstances) => (collection: Collection) => View | undefined)
    | undefined
}

/** The parts of a request that all value sets of one statement share. */
export interface SetTemplate {
  readonly list: ListPlan
  /** The test that an item has one of the keys, which are given for all sets. */
  readonly keys: Test
  readonly statement: SetStatement
  readonly mapper: Mapper
  /** Returns how many rows may be read without a look at how long they are. */
  readonly max: () => RowBounds
  /** The operands of a set, and the pages that it has to have. */
  readonly openValues: readonly OpenValue[]
  /** True if its query depends on the time. */
  readonly isTimed: boolean
}

/** Rows that are neither counted nor added up before: of one set, and of all in one statement. */
interface RowBounds {
  readonly each: number
  readonly all: number
}

export interface ValueSet {
  readonly template: SetTemplate
  readonly values: readonly unknown[]
}

/** Returns the template of a request and its values. Undefined if it is to be read alone. */
export function valueSetOf(request: ReadRequest, reader: SetReader): ValueSet | undefined {
  const shape = shapeOf(request)
  if (!shape) return undefined
  const cache = memoFor(memoFor(caches, reader.templates, newByDatabase), reader.db, newCache)
  const kept = cache.get(shape.hash) ?? []
  let failures = 0
  for (const { template, schema, ...known } of kept) {
    if (schema !== reader.schema || !isSameShape(known.shape, shape)) continue
    if (!template) failures++
    const values = template && valuesAgain(template, request, reader)
    if (values) return { template, values }
  }
  if (failures >= maxFailures) return undefined
  const { template, isDenied } = newTemplate(shape, request, reader)
  const values = template && valuesAgain(template, request, reader)
  if (!isDenied) {
    const { marks, hash } = shape
    const added = { template: values && template, schema: reader.schema, shape: { marks, hash } }
    cache.set(hash, [added, ...kept.slice(0, formsPerShape - 1)])
  }
  return template && values && { template, values }
}

interface KeptTemplate {
  /** Undefined for a request that had to be read alone. */
  readonly template: SetTemplate | undefined
  readonly schema: Schema
  readonly shape: QueryShape
}
type TemplatesByShape = Cache<readonly KeptTemplate[], number>

const caches = new WeakMap<object, WeakMap<object, TemplatesByShape>>()
const newByDatabase = () => new WeakMap<object, TemplatesByShape>()
const newCache = (): TemplatesByShape => new Cache(shapesKept)
const shapesKept = 200
/** Maximum number of templates of one shape: pages differ, and so do operands beyond the range of a column. */
const formsPerShape = 16
/** Requests of a shape that have to be read alone, after which it is tried with no other: some operands alone cannot come out of a table. */
const maxFailures = 4

/** Returns the values of a request for a template; undefined if it has another form after all. */
export function valuesAgain(
  { openValues, statement }: SetTemplate,
  request: ReadRequest,
  reader: SetReader,
): readonly unknown[] | undefined {
  const bound = bindValues(openValues, request, settingsOf(reader))
  if (!bound) return undefined
  const isAlike = openValues.every((open) => 'operator' in open || isSamePage(open, bound.get(open)))
  return isAlike ? statement.values.map((value) => value.valueFor(bound.get(value.openValue))) : undefined
}

const settingsOf = ({ limits, dialect }: SetReader): BindSettings => ({ limits, dialect, isUnlimited: true })

const pageNames = ['limit', 'offset', 'isCut', 'place'] as const satisfies readonly (keyof Page)[]

const isSamePage = (one: object, other: object | undefined): boolean =>
  other !== undefined && pageNames.every((name) => Reflect.get(one, name) === Reflect.get(other, name))

interface NewTemplate {
  readonly template: SetTemplate | undefined
  readonly isDenied: boolean
}

function newTemplate(shape: OpenShape, request: ReadRequest, reader: SetReader): NewTemplate {
  const copy = copyQuery(shape, request)
  if (!copy) return { template: undefined, isDenied: true }
  const { made, isDenied, variables } = compileWatching(copy, (seen) => compile(seen, shape, reader))
  const isShared = made && !isDenied && canServeOthers(made.openValues, copy, settingsOf(reader), variables)
  return { template: isShared ? made : undefined, isDenied }
}

function compile(request: ReadRequest, { marks }: QueryShape, reader: SetReader): SetTemplate | undefined {
  const { circumstances } = request
  const { list: read } = planRequest(request, reader)
  const { collection, rows, condition } = read
  if (rows.kind !== 'items') return undefined
  const keys = isAmong(collection, [])
  const list: ListPlan = {
    ...wholeList(collection, { kind: 'and', parts: [keys, condition] }),
    rows: { kind: 'items', members: [...rows.members, keyMember(collection)] },
  }
  const setting = reader.rowsAt ? { ...reader, rowsOf: reader.rowsAt(circumstances) } : reader
  const statement = setStatement(list, setting, { keys, viewOf: reader.viewsAt?.(circumstances) })
  if (!statement) return undefined
  const pages = nestedLists(list).map((below) => below.list.page)
  return {
    list,
    keys,
    statement,
    mapper: compileMapper(statement.recipe),
    max: once(() => rowBounds(list, statement, reader)),
    openValues: openValuesOf([{ sql: '', parameters: statement.values }], pages),
    isTimed: marks.some((mark) => String(mark).includes('$NOW')),
  }
}

const maxRowsTogether = 10_000
/** Bytes that a long text is taken to have where it is one of very many: few are that long. */
const longTogether = 16_384

function rowBounds(list: ListPlan, { texts }: SetStatement, { dialect, limits }: SetReader): RowBounds {
  const below = belowOf(list, limits)
  const nestedRows = limits.nestedRows
  const database = dialect.storedBytes && Number.POSITIVE_INFINITY
  const pageOf = (count: number) => (page: Page) => (page === list.page ? { ...page, limit: count } : page)
  const isFew = (count: number, stored: StoredBytes) =>
    !(below && mayExceed(below, count)) && maxBytes(list, pageOf(count), stored) <= limits.answerBytes
  const mayNest = (count: number) =>
    texts > 0 && !dialect.storedBytes && mayNestTooMuch(list, pageOf(count), limits)
  return {
    each: greatest((count) => isFew(count, { nestedRows, database }) && !mayNest(count)),
    all: greatest((count) => isFew(count, { nestedRows, database: undefined, long: longTogether })),
  }
}

function greatest(isFine: (count: number) => boolean): number {
  for (let count = maxRowsTogether; count >= 1; count = Math.floor(count / 2)) if (isFine(count)) return count
  return 0
}
