// Rows that one statement writes together, each with values of its own: those of one shape under the rules that they meet.

import { execute } from '../../execution/execute.ts'
import { inFlight } from '../../execution/transaction/flight.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { isNamed } from '../../plan/write/row-layout.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import { givenRowsValue, rowValues } from '../../sql/write/row-values.ts'
import { emptyReferences } from '../authorize/references.ts'
import { isAltered } from '../insert/altered-values.ts'
import { slicesOf } from '../insert/batches.ts'
import type { WriteContext } from '../write-context.ts'
import { type BoundTemplate, type BoundValuesOfRow, boundTemplate, type RowsStatement } from './judged-row.ts'
import { boundRow, type RowTemplate, type WritingStatement } from './row-template.ts'

/** Rows of one statement. */
export interface RowsTogether<Made extends WritingStatement> {
  readonly template: RowTemplate<Made>
  readonly called: BoundTemplate
  readonly truths: readonly boolean[]
  /** Positions of the rows among all of the call. */
  readonly places: number[]
  readonly rows: (readonly unknown[])[]
}

/** Ends an attempt: the statements alone do not decide on all rows after all. */
export class UnsureRows extends Error {}

/** A statement of items that name the same fields. */
interface NamedStatement extends RowsStatement {
  readonly names: readonly string[]
  /** The text of the names of references that are null. */
  readonly empty: string
}

interface Binding<Change, Made extends NamedStatement> {
  readonly templateFor: (change: Change) => RowTemplate<Made> | undefined
  /** Returns the values of a row, and those by which it is found. */
  readonly bind: (
    change: Change,
    template: RowTemplate<Made>,
    called: BoundTemplate,
  ) => { readonly one: BoundValuesOfRow; readonly cells: readonly unknown[] } | undefined
}

/** Binds rows, those of one statement together; undefined if one of them takes more than its statement. */
export function rowsTogether<Change extends { readonly payload: ItemData }, Made extends NamedStatement>(
  collection: Collection,
  changes: readonly Change[],
  { templateFor, bind }: Binding<Change, Made>,
  writing: WriteContext,
): readonly RowsTogether<Made>[] | undefined {
  const requests = new Map<RowTemplate<Made>, BoundTemplate | undefined>()
  const groups = new Map<RowTemplate<Made>, Map<string, RowsTogether<Made>>>()
  let last: RowTemplate<Made> | undefined
  for (const [at, change] of changes.entries()) {
    const { payload } = change
    const isLike =
      last && isNamed(payload, last.names) && emptyReferences(collection, payload).join('\n') === last.empty
    const template = isLike ? last : templateFor(change)
    if (!template) return undefined
    last = template
    if (!requests.has(template)) requests.set(template, boundTemplate(template, collection, writing))
    const called = requests.get(template)
    const found = called && bind(change, template, called)
    if (!found) return undefined
    const { truths } = found.one
    const ofTemplate = groups.get(template) ?? new Map<string, RowsTogether<Made>>()
    groups.set(template, ofTemplate)
    const name = truths.join()
    const group = ofTemplate.get(name) ?? { template, called, truths, places: [], rows: [] }
    ofTemplate.set(name, group)
    group.places.push(at)
    group.rows.push(found.cells)
  }
  return [...groups.values()].flatMap((group) => [...group.values()])
}

/** Runs the statements of rows, and returns what they return. `judged`: fields whose given values are judged for the stored ones. */
export async function runTogether(
  collection: Collection,
  { template, called, truths, rows }: RowsTogether<WritingStatement>,
  judged: readonly StoredField[],
  { engine, options, ...writing }: WriteContext,
): Promise<readonly Row[]> {
  if (judged.length > 0 && (await isAltered(collection, judged, { engine, options, ...writing })))
    throw new UnsureRows()
  const isOne = rows.length === 1 && template.isOrdered === true
  const made = isOne ? { ...template, locks: template.locks?.slice(1) ?? [] } : template
  const stored: Row[] = []
  for (const [from, until] of slicesOf(rows.length)) {
    const values = rowValues(undefined, [], [], truths).set(givenRowsValue, rows.slice(from, until))
    const { statement, locks } = boundRow(made, values, called.requested)
    const found =
      locks.length > 0
        ? (await inFlight(engine, [...locks, statement], options)).at(-1)
        : await execute(engine, statement, options)
    if (found?.length !== until - from) throw new UnsureRows()
    stored.push(...found)
  }
  return stored
}
