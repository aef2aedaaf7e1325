// Rows that one statement writes together, each with values of its own: those of one shape under the rules that they meet.

import { affect, execute } from '../../execution/execute.ts'
import { inFlight } from '../../execution/transaction/flight.ts'
import type { Key } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { incrementedNames } from '../../plan/write/increment.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import type { ReturnedColumns } from '../../sql/write/returning.ts'
import { catalogState, givenRowsValue, rowValues, valuesOfKeys } from '../../sql/write/row-values.ts'
import { isShapedAs, shapeOf } from '../authorize/references.ts'
import { slicesOf } from '../context/batches.ts'
import { boundRow, type RowTemplate, type WritingStatement } from '../context/row-template.ts'
import type { WriteContext } from '../context/write-context.ts'
import { isAltered } from '../stored/altered-values.ts'
import { type BoundTemplate, boundTemplate, boundValuesOf, type RowsStatement } from './judged-row.ts'
import { isDoubtful } from './unchanged-bytes.ts'

/** Rows of one statement. */
export interface RowsTogether<Made extends WritingStatement> {
  readonly template: RowTemplate<Made>
  readonly called: BoundTemplate
  readonly truths: readonly boolean[]
  /** Positions of the rows among all of the call. */
  readonly places: number[]
  readonly rows: (readonly unknown[])[]
  /** The state of the catalogue that the statement compares. */
  readonly state?: unknown
  /** Keys of rows that get the same values, and these. The rows are then none of their own. */
  readonly alike?: { readonly keys: readonly Key[]; readonly values: ReadonlyMap<object, unknown> }
}

/** Ends an attempt: the statements alone do not decide on all rows after all. */
export class UnsureRows extends Error {}

/** A statement of items that name the same fields. */
interface NamedStatement extends RowsStatement {
  readonly names: readonly string[]
  readonly empty: ReadonlySet<string>
}

/** Rows of a template, by the rules that they meet. */
interface OfTemplate<Made extends NamedStatement> {
  readonly template: RowTemplate<Made>
  readonly called: BoundTemplate
  readonly groups: Map<string, RowsTogether<Made>>
}

/** Returns the statement of each row; undefined if one of them takes more than its statement. */
export function templatesOfRows<Made extends NamedStatement>(
  collection: Collection,
  payloads: readonly ItemData[],
  templateFor: (payload: ItemData) => RowTemplate<Made> | undefined,
): readonly RowTemplate<Made>[] | undefined {
  const found: RowTemplate<Made>[] = []
  let shape: ReturnType<typeof shapeOf> | undefined
  let isSum = false
  for (const payload of payloads) {
    // A sum has another statement, and may have one of its own.
    const wasSum = isSum
    isSum = incrementedNames(collection, payload).length > 0
    const isLike = shape && !isSum && !wasSum && isShapedAs(collection, payload, shape)
    if (!isLike) shape = shapeOf(collection, payload)
    const template = isLike ? found.at(-1) : templateFor(payload)
    if (!template) return undefined
    found.push(template)
  }
  return found
}

interface UnboundRows<Made extends NamedStatement> {
  readonly collection: Collection
  readonly payloads: readonly ItemData[]
  readonly returned: ReturnedColumns
  /** The statement of each. */
  readonly templates: readonly RowTemplate<Made>[]
  /** Returns the bound values of a row with those by which it is found; undefined if they do not fit. */
  readonly cellsOf: (bound: readonly unknown[], at: number) => readonly unknown[] | undefined
}

/** Binds rows, those of one statement together; undefined if one of them takes more than its statement. */
export function rowsTogether<Made extends NamedStatement>(
  { collection, payloads, returned, templates, cellsOf }: UnboundRows<Made>,
  writing: WriteContext,
): readonly RowsTogether<Made>[] | undefined {
  const all = new Map<RowTemplate<Made>, OfTemplate<Made>>()
  let last: OfTemplate<Made> | undefined
  for (let at = 0; at < payloads.length; at++) {
    const [payload, template] = [payloads[at], templates[at]]
    if (!payload || !template) return undefined
    if (last?.template !== template) last = all.get(template)
    if (!last) {
      const called = boundTemplate(template, collection, writing)
      if (!called) return undefined
      last = { template, called, groups: new Map() }
      all.set(template, last)
    }
    const one = boundValuesOf(template, { collection, payload, returned }, last.called, writing)
    const cells = one && cellsOf(one.bound, at)
    if (!cells) return undefined
    const name = one.truths.length > 1 ? one.truths.join() : ''
    const { called, groups } = last
    const group = groups.get(name) ?? { template, called, truths: one.truths, places: [], rows: [] }
    if (group.rows.length === 0) groups.set(name, group)
    group.places.push(at)
    group.rows.push(cells)
  }
  return [...all.values()].flatMap(({ groups }) => [...groups.values()])
}

/** Binds rows that get the same values; undefined if that takes more than their statement. */
export function rowsAlike<Made extends RowsStatement>(
  template: RowTemplate<Made>,
  row: Parameters<typeof boundValuesOf>[1],
  keys: readonly Key[],
  writing: WriteContext,
): RowsTogether<Made> | undefined {
  const called = boundTemplate(template, row.collection, writing)
  const one = called && boundValuesOf(template, row, called, writing)
  if (!one || one.bound.some(isDoubtful)) return undefined
  const { bound, truths } = one
  const values = rowValues(undefined, template.layout.fields, bound, truths)
  return { template, called, truths, places: [...keys.keys()], rows: [], alike: { keys, values } }
}

export const countOf = ({ alike, rows }: RowsTogether<WritingStatement>): number =>
  (alike?.keys ?? rows).length

/** Runs the statements of rows, and returns what they return. `judged`: fields whose given values are judged for the stored ones. */
export async function runTogether(
  collection: Collection,
  together: RowsTogether<WritingStatement>,
  judged: readonly StoredField[],
  writing: WriteContext,
): Promise<readonly Row[]> {
  const { engine, options } = writing
  if (judged.length > 0 && (await isAltered(collection, judged, writing))) throw new UnsureRows()
  const { template, called, truths, rows, alike, state } = together
  const stored: Row[] = []
  for (const [from, until] of slicesOf(countOf(together))) {
    const values = alike
      ? new Map([...alike.values, ...valuesOfKeys(alike.keys.slice(from, until))])
      : rowValues(undefined, [], [], truths).set(givenRowsValue, rows.slice(from, until))
    values.set(catalogState, state)
    const { statement, locks } = boundRow(template, values, called.requested)
    if (template.isSilent) {
      if ((await affect(engine, statement, options)) !== until - from) throw new UnsureRows()
      continue
    }
    const found =
      locks.length > 0
        ? (await inFlight(engine, [...locks, statement], options)).at(-1)
        : await execute(engine, statement, options)
    if (!found || (template.isPartial ? found.length > until - from : found.length !== until - from))
      throw new UnsureRows()
    stored.push(...found)
  }
  return stored
}
