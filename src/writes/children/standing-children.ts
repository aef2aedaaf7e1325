// Finds the children of items that are visible to the caller, and others that are named by their keys, by one statement, which also locks them.
import type { RowUse } from '../../dialects/phrase-types.ts'
import { always } from '../../plan/filter/predicate.ts'
import { type Key, keyIdentity, keyOfValue } from '../../plan/key.ts'
import type { LinkColumn } from '../../schema/model.ts'
import { childrenSelect } from '../../sql/write/row-locks.ts'
import { valuesOfKeys } from '../../sql/write/row-values.ts'
import { judgingOf } from '../context/place.ts'
import {
  bindOpenValues,
  boundRow,
  type RowTemplate,
  type RowTemplates,
  rowTemplate,
  runRows,
  templatesOf,
  type WritingStatement,
} from '../context/row-template.ts'
import { permissionsOf, type WriteContext } from '../context/write-context.ts'
import { tablesTested } from '../obligations/row-obligations.ts'
import { UnsureRows } from '../program/rows-together.ts'
import { readerOf, readKeys } from '../stored/rows-by-key.ts'
import { visibleRows } from '../stored/seen-rows.ts'

interface ChildrenRead extends WritingStatement {
  readonly foreign: LinkColumn
  /** Tables that rules of visible rows look at. */
  readonly tables: readonly string[]
}

const templates: RowTemplates<ChildrenRead> = new WeakMap()

/** Returns the statement that finds children by the field that refers to their items; undefined if one statement cannot judge which of them are visible. */
export function childrenRead(
  foreign: LinkColumn,
  use: RowUse,
  writing: WriteContext,
): RowTemplate<ChildrenRead> | undefined {
  const { collection } = foreign
  const { caller, engine } = writing
  const name = `${collection.name}\n${foreign.name}\n${use}`
  return rowTemplate(templatesOf(templates, caller.templates), { name, collection }, writing, (now) => {
    const permissions = permissionsOf(writing)
    const seen = permissions ? visibleRows(collection, permissions, now) : always
    const place = seen && judgingOf(seen, collection, engine.dialect)
    if (!seen || place === 'never') return undefined
    const { lockRows } = engine.dialect
    const own = lockRows && use
    // Rows that rules look at may change while a lock is waited for, and more children may be there by then.
    const isTwice = own !== undefined && place === 'locked'
    return {
      foreign,
      statement: childrenSelect(foreign, seen, own, engine),
      locks: isTwice ? [childrenSelect(foreign, seen, own, engine)] : [],
      tables: tablesTested(seen),
    }
  })
}

/** A child, and the text of the key of its item. */
export interface StandingChild {
  readonly key: Key
  readonly owner: string | undefined
}

/** Returns the children of some items, and those that are named, by the texts of their keys. */
export async function standingChildren(
  template: RowTemplate<ChildrenRead>,
  named: readonly Key[],
  owners: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlyMap<string, StandingChild>> {
  const { foreign } = template
  const { collection } = foreign
  const requested = bindOpenValues(template, collection, writing)
  if (!requested) throw new UnsureRows()
  const bound = boundRow(template, valuesOfKeys(named, owners), requested)
  const fail = async (error: unknown) => {
    throw error
  }
  const rows = await runRows(bound, fail, writing)
  const read = readerOf(foreign, writing)
  return new Map(
    readKeys(rows, collection, writing).map((key, at) => {
      const owner = read(rows[at]?.[1])
      return [keyIdentity(key), { key, owner: owner === null ? undefined : keyIdentity(keyOfValue(owner)) }]
    }),
  )
}
