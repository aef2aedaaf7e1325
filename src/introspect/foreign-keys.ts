// Foreign keys as many-to-one fields: those that refer to the key of a collection.
import type { CatalogueForeignKey } from '../dialects/catalogue.ts'
import { quote } from '../errors/errors.ts'
import type { ScalarDefinition } from '../schema/definition.ts'
import { fieldTypes, isFieldType, storedForm } from '../types/field-types.ts'
import { called, type Tell } from './remark.ts'
import type { DraftColumn, TableDraft } from './table-draft.ts'

/** Columns that hold the key of another collection, in the order of that key. */
export interface Link {
  readonly columns: readonly DraftColumn[]
  readonly target: TableDraft
}

export type Links = ReadonlyMap<TableDraft, readonly Link[]>

export function foreignKeysOf(drafts: readonly TableDraft[], tell: Tell): Links {
  const byTable = new Map(drafts.map((draft) => [placeOf(draft.table), draft]))
  const links = new Map<TableDraft, readonly Link[]>()
  for (const draft of drafts) {
    const own: Link[] = []
    for (const key of draft.table.foreignKeys) {
      const link = linkOf(draft, key, byTable, tell)
      if (link && !isKnown(draft, link, own, tell)) own.push(link)
    }
    links.set(draft, own)
  }
  for (const [draft, own] of links) {
    const circular = own.filter((link) => isPartOfKey(draft, link) && leadsBack(draft, link.target, links))
    for (const { columns } of circular) tellCircle(draft, columns, tell)
    if (circular.length > 0)
      links.set(
        draft,
        own.filter((link) => !circular.includes(link)),
      )
  }
  // Columns of one type only hold a key of several, and what their types are is known only now.
  return new Map(
    [...links].map(([draft, own]) => [draft, own.filter((link) => isOfOneType(draft, link, links, tell))]),
  )
}

const placeOf = ({ schema, name }: { readonly schema: string; readonly name: string }) =>
  JSON.stringify([schema, name])

function linkOf(
  { table, columns }: TableDraft,
  { columns: names, table: place, targetColumns }: CatalogueForeignKey,
  byTable: ReadonlyMap<string, TableDraft>,
  tell: Tell,
): Link | undefined {
  const own = names.map((name) => columns.find(({ column }) => column.name === name))
  // An override of a column takes precedence.
  const held = own.flatMap((column) => (column && !isSomethingElse(column) ? [column] : []))
  if (held.length < names.length) return undefined
  const where = `${called(table, names)} ${names.length === 1 ? 'leads' : 'lead'} to ${quote(place.name)}`
  const plain = names.length === 1 ? 'it is a plain value' : 'they are plain values'
  const at = { table, column: names[0] }
  const target = byTable.get(placeOf(place))
  if (!target) {
    tell('FOREIGN_KEY_OUTSIDE', at, `${where}, which is no collection here; ${plain}.`)
    return undefined
  }
  const parts = target.key.map(({ column }) => held[targetColumns.indexOf(column.name)])
  const whole = parts.flatMap((part) => part ?? [])
  if (whole.length === names.length && whole.length === target.key.length) return { columns: whole, target }
  const by = targetColumns.map(quote).join(', ')
  tell('FOREIGN_KEY_TO_NO_KEY', at, `${where} by ${by}, which is not its key; ${plain} here.`)
  return undefined
}

const isSomethingElse = ({ override }: DraftColumn): boolean =>
  override === false || (override?.type !== undefined && override.type !== 'm2o')

/** True if the same columns lead somewhere already: a field leads to one collection. */
function isKnown(
  { table }: TableDraft,
  { columns, target }: Link,
  own: readonly Link[],
  tell: Tell,
): boolean {
  const names = columns.map(({ column }) => column.name)
  const known = own.find(
    (link) =>
      link.columns.length === columns.length && columns.every((column) => link.columns.includes(column)),
  )
  if (!known) return false
  if (known.target !== target) {
    const where = `${called(table, names)} ${names.length === 1 ? 'leads' : 'lead'} to ${quote(target.table.name)}`
    tell(
      'FOREIGN_KEY_TWICE',
      { table, column: names[0] },
      `${where} too, and a field leads to one collection.`,
    )
  }
  return true
}

/** True for a column in the key that takes its type from what it leads to. */
const isPartOfKey = ({ key }: TableDraft, { columns: [only, ...more] }: Link): boolean =>
  only !== undefined && more.length === 0 && key.includes(only)

/** True if the key of a table is made of that of another, and so on in a cycle. */
function leadsBack(start: TableDraft, first: TableDraft, links: Links): boolean {
  const seen = new Set<TableDraft>()
  const pending = [first]
  for (let draft = pending.pop(); draft; draft = pending.pop()) {
    if (draft === start) return true
    if (seen.has(draft)) continue
    seen.add(draft)
    for (const link of links.get(draft) ?? []) if (isPartOfKey(draft, link)) pending.push(link.target)
  }
  return false
}

function tellCircle({ table }: TableDraft, columns: readonly DraftColumn[], tell: Tell): void {
  const names = columns.map(({ column }) => column.name)
  const says = `${called(table, names)} is a key that leads back to itself, so it is a plain value here.`
  tell('CIRCLE_OF_KEYS', { table, column: names[0] }, says)
}

function isOfOneType(draft: TableDraft, { columns, target }: Link, links: Links, tell: Tell): boolean {
  if (columns.length === 1) return true
  const other = columns.find((of, at) => formOf(draft, of, links) !== formOf(target, target.key[at], links))
  if (!other) return true
  const { table } = draft
  const names = columns.map(({ column }) => column.name)
  const says = `${called(table, names)} lead to ${quote(target.table.name)}, whose key has other types or forms; they are plain values here.`
  tell('FOREIGN_KEY_TO_NO_KEY', { table, column: other.column.name }, says)
  return false
}

/** The values that a column's field holds, and their form; a relation has the form of the key that it holds. */
function formOf(draft: TableDraft, of: DraftColumn | undefined, links: Links): string | undefined {
  if (!of) return undefined
  const link = links.get(draft)?.find(({ columns }) => columns.length === 1 && columns[0] === of)
  if (link) return formOf(link.target, link.target.key[0], links)
  const said: Partial<ScalarDefinition> = { ...of.guess, ...(of.override as Partial<ScalarDefinition>) }
  const { type } = said
  return type !== undefined && isFieldType(type)
    ? `${fieldTypes[type].family} ${storedForm(said.storage)}`
    : undefined
}
