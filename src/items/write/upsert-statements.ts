// The statements of upserts: made once for all calls with the same fields and the same form of the result.

import type { ItemData } from '../../plan/write/changes.ts'
import { isNamed } from '../../plan/write/row-layout.ts'
import type { Collection } from '../../schema/model.ts'
import type { Statement } from '../../sql/statement.ts'
import { Cache } from '../../values/cache.ts'
import { memoFor, once } from '../../values/memo.ts'
import type { WriteContext } from '../../writes/context/write-context.ts'
import type { GivenItem } from '../../writes/create-or-update.ts'
import { mostBytes } from '../../writes/program/returned-length.ts'
import { onFields } from '../../writes/upsert/on-fields.ts'
import {
  type UpsertForm,
  upsertForm,
  upsertOfTable,
  upsertText,
} from '../../writes/upsert/upsert-by-statement.ts'
import type { AnswerShape } from '../read/answer-shape.ts'
import type { ItemRow } from '../read/item-row.ts'

export interface PlainUpsert {
  readonly collection: Collection
  readonly on: readonly string[] | undefined
  readonly items: readonly GivenItem[]
  readonly shape: AnswerShape
  /** True if the numbers of created and updated items are needed. */
  readonly isCounted: boolean
}

export interface Statements {
  readonly form: UpsertForm
  readonly alone: { readonly row: ItemRow; readonly text: string } | undefined
  /** The statement of any number of rows, which returns keys. */
  readonly table: () => Statement | undefined
  /** Those of so many rows, where there is none. */
  readonly texts: Map<number, string>
}

/** Statements for the calls of a shape, and those of its last call: most calls are alike. */
interface StatementsOfShape {
  readonly all: Cache<Statements | 'none'>
  last: { readonly isUser: boolean; readonly on: OnNames; readonly statements: Statements } | undefined
}

const newStatementsOfShape = (): StatementsOfShape => ({ all: new Cache(statementsKept), last: undefined })

type OnNames = readonly string[] | undefined

const kept = new WeakMap<object, StatementsOfShape>()
const statementsKept = 50

/** Returns the statements for items that name the same fields as the first one, which are made on first use. */
export function statementsFor(
  upsert: PlainUpsert,
  first: ItemData,
  writing: WriteContext,
): Statements | undefined | Promise<Statements | undefined> {
  const { on, shape } = upsert
  const ofShape = memoFor(kept, shape, newStatementsOfShape)
  const isUser = writing.moment.user !== undefined
  const { last } = ofShape
  if (last?.isUser === isUser && isNamed(first, last.statements.form.names) && isSame(on, last.on))
    return last.statements
  const names = Object.keys(first)
  const name = `${isUser} ${[...names, '', ...(on ?? [''])].join('\n')}`
  const known = ofShape.all.get(name)
  if (known === 'none') return undefined
  if (known) {
    ofShape.last = { isUser, on, statements: known }
    return known
  }
  return newStatements(upsert, names, writing).then((made) => {
    ofShape.all.set(name, made ?? 'none')
    return made
  })
}

const isSame = (one: OnNames, other: OnNames): boolean =>
  one === other || (one?.length === other?.length && one?.every((name, at) => name === other?.[at]) === true)

async function newStatements(
  { collection, on, shape }: PlainUpsert,
  names: readonly string[],
  writing: WriteContext,
): Promise<Statements | undefined> {
  const { caller, options } = writing
  const form = await upsertForm(collection, await onFields(collection, on, caller, options), names, writing)
  if (!form) return undefined
  const table = once(() => upsertOfTable(form, caller.dialect))
  return { form, alone: aloneFor(form, shape, writing), table, texts: new Map() }
}

function aloneFor(form: UpsertForm, shape: AnswerShape, { caller }: WriteContext): Statements['alone'] {
  const row = shape.row(caller)
  // Lists may change while it waits for a row that is there.
  if (!row || shape.isSorted || row.columns.hasLists) return undefined
  const { dialect, limits } = caller
  // What an update leaves as it is may be too long, but not the values by which the item is found.
  const known = new Set([...form.columns, ...form.on.fields.map(({ column }) => column)])
  if (mostBytes(limits) !== undefined && row.columns.bytesBeside(known)) return undefined
  const columns = row.columns.sql(dialect.isFollowed(form.collection))
  const text = upsertText(form, 1, dialect, { columns, insertedAt: insertedAt(row) })
  return text === undefined ? undefined : { row, text }
}

/** Position of the flag behind all that is returned otherwise. */
export const insertedAt = ({ columns }: ItemRow): number => columns.followedAt + 1
