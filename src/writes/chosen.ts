// Rows chosen by a condition, as a list with the same query would show them.
import { unreachable } from '../errors.ts'
import type { Predicate } from '../plan/predicate.ts'
import type { ListPlan, Member } from '../plan/read-plan.ts'
import { readStored, type Storable } from '../plan/stored-value.ts'
import { keyText } from '../plan/write-plan.ts'
import { execute } from '../run/execute.ts'
import { mapperOf } from '../run/mapper.ts'
import { fill } from '../run/template.ts'
import type { Collection } from '../schema/model.ts'
import { rowStatement } from '../sql/statement.ts'
import type { Writing } from './writing.ts'

/** The key of each row, and nothing else. */
export const keyMember = ({ key }: Collection): Member => ({
  kind: 'value',
  name: keyName,
  subject: { kind: 'field', field: key, type: key.value },
  path: [],
})

/** No field is called so. */
export const keyName = ''

/** A condition that the key is one of some. */
export function isOneOf({ key }: Collection, keys: readonly Storable[]): Predicate {
  return {
    kind: 'test',
    subject: { kind: 'field', field: key, type: key.value },
    operator: '_in',
    // What a field has read is an operand of its family, too.
    operand: { kind: 'values', values: keys.map((at) => ({ at: at as object, exact: true })) },
    path: ['keys'],
  }
}

/** The rows of a list, mapped. */
export async function rowsOf(
  list: ListPlan,
  { engine, options }: Pick<Writing, 'engine' | 'options'>,
): Promise<readonly unknown[]> {
  const { recipe, ...statement } = rowStatement(list, engine, { probe: 0 })
  const mapper = mapperOf(recipe)
  const rows = await execute(engine, fill(statement, new Map()), options)
  return rows.map((row) => mapper(row, undefined))
}

/** The keys of a list's rows, as payloads are read. */
export async function chosenKeys(
  list: ListPlan,
  writing: Pick<Writing, 'engine' | 'options'>,
): Promise<readonly Storable[]> {
  const { collection } = list
  const rows = await rowsOf({ ...list, rows: { kind: 'items', members: [keyMember(collection)] } }, writing)
  return rows.map((row) => {
    const read = readStored(collection.key, Reflect.get(Object(row), keyName))
    if (read.kind !== 'value') throw unreachable('a stored key is no key')
    return read.value
  })
}

/** Which of some rows meet a condition, as texts of their keys. */
export async function matchingKeys(
  collection: Collection,
  keys: readonly Storable[],
  condition: Predicate,
  writing: Writing,
): Promise<ReadonlySet<string>> {
  const found = await chosenKeys(
    {
      collection,
      children: undefined,
      condition: { kind: 'and', parts: [isOneOf(collection, keys), condition] },
      order: [],
      page: { limit: undefined, offset: 0, isCut: false, isFixed: true, path: [] },
      rows: { kind: 'items', members: [] },
      place: '',
    },
    writing,
  )
  return new Set(found.map(keyText))
}
