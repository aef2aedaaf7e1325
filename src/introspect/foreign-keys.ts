// Foreign keys as many-to-one fields: those of one column that refer to the key of a collection.
import type { CatalogueForeignKey } from '../dialects/catalogue.ts'
import { quote } from '../errors/errors.ts'
import { called, type Tell } from './remark.ts'
import type { DraftColumn, TableDraft } from './table-draft.ts'

/** Targets of the columns of tables, by column name. */
export type Links = ReadonlyMap<TableDraft, ReadonlyMap<string, TableDraft>>

export function foreignKeysOf(drafts: readonly TableDraft[], tell: Tell): Links {
  const byTable = new Map(drafts.map((draft) => [placeOf(draft.table), draft]))
  const links = new Map(
    drafts.map((draft) => {
      const own = new Map<string, TableDraft>()
      for (const key of draft.table.foreignKeys) {
        const [name, target] = linkOf(draft, key, byTable, own, tell) ?? []
        if (name !== undefined && target) own.set(name, target)
      }
      return [draft, own] as const
    }),
  )
  for (const [draft, own] of links) {
    const name = draft.key.column.name
    if (!leadsBack(draft, links)) continue
    own.delete(name)
    const says = `${called(draft.table, name)} is a key that leads back to itself, so it is a plain value here.`
    tell('CIRCLE_OF_KEYS', { table: draft.table, column: name }, says)
  }
  return links
}

const placeOf = ({ schema, name }: { readonly schema: string; readonly name: string }) =>
  JSON.stringify([schema, name])

function linkOf(
  { table, columns }: TableDraft,
  { columns: names, table: place, targetColumns }: CatalogueForeignKey,
  byTable: ReadonlyMap<string, TableDraft>,
  known: ReadonlyMap<string, TableDraft>,
  tell: Tell,
): readonly [string, TableDraft] | undefined {
  const [name = ''] = names
  const where = `${called(table, names)} ${names.length === 1 ? 'leads' : 'lead'} to ${quote(place.name)}`
  if (names.length > 1) {
    const says = `${where} together, and a relation has one column; they are plain values here.`
    tell('FOREIGN_KEY_OF_COLUMNS', { table }, says)
    return undefined
  }
  const column = columns.find((one) => one.column.name === name)
  // An override of the column takes precedence.
  if (!column || isSomethingElse(column)) return undefined
  const target = byTable.get(placeOf(place))
  const at = { table, column: name }
  if (!target) {
    tell('FOREIGN_KEY_OUTSIDE', at, `${where}, which is no collection here; it is a plain value.`)
    return undefined
  }
  if (targetColumns[0] !== target.key.column.name) {
    const says = `${where} by ${quote(targetColumns[0] ?? '')}, which is not its key; it is a plain value here.`
    tell('FOREIGN_KEY_TO_NO_KEY', at, says)
    return undefined
  }
  if (!known.has(name)) return [name, target]
  if (known.get(name) !== target)
    tell('FOREIGN_KEY_TWICE', at, `${where} too, and a field leads to one collection.`)
  return undefined
}

const isSomethingElse = ({ override }: DraftColumn): boolean =>
  override === false || (override?.type !== undefined && override.type !== 'm2o')

/** True if the key of a table is that of another, and so on in a cycle. */
function leadsBack(start: TableDraft, links: Links): boolean {
  const next = (draft: TableDraft) => links.get(draft)?.get(draft.key.column.name)
  const seen = new Set<TableDraft>()
  for (let draft = next(start); draft && !seen.has(draft); draft = next(draft)) {
    if (draft === start) return true
    seen.add(draft)
  }
  return false
}
