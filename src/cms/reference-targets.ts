// Targets of columns: by the service's relations, else by the foreign keys of the database.
import type { CatalogueTable } from '../dialects/catalogue.ts'
import { quote } from '../errors/errors.ts'
import type { CmsRemark } from './cms-remark.ts'
import type { RelationFact } from './facts.ts'
import type { Lead } from './stored-field.ts'

export interface LeadPlace {
  readonly table: CatalogueTable
  readonly column: string
  readonly relations: readonly RelationFact[]
  /** Tables that become collections. */
  readonly tables: ReadonlyMap<string, CatalogueTable>
}

/** Returns the target of a column. Undefined for a plain value; a remark if a relation cannot be kept, so that only its value remains. */
export function referenceTargetOf(place: LeadPlace): Lead | CmsRemark | undefined {
  const { table, column, relations } = place
  const said = relations.find(({ from }) => from.collection === table.name && from.field === column)
  if (said) return said.to === undefined ? anyLead(said, place) : oneLead(said.to, place)
  const key = table.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === column)
  const target = key && place.tables.get(key.table.name)
  // A foreign key to one of the service's own tables, or to other columns than a primary key, is a plain value.
  return key && target && leadsToKey(key.targetColumns, target) ? { kind: 'one', to: target.name } : undefined
}

const leadsToKey = (columns: readonly string[], { primaryKey }: CatalogueTable) =>
  columns.length === 1 && columns[0] === primaryKey[0]

const remark = ({ table, column }: LeadPlace, message: string): CmsRemark => ({
  collection: table.name,
  field: column,
  message,
})

function oneLead(to: string, place: LeadPlace): Lead | CmsRemark {
  if (place.tables.has(to)) return { kind: 'one', to }
  return remark(place, `It points to ${quote(to)}, which is no collection here; only the key is left of it.`)
}

function anyLead({ anyOf, by }: RelationFact, place: LeadPlace): Lead | CmsRemark {
  const to = anyOf.filter((name) => place.tables.has(name))
  if (to.length === 0 || by === undefined)
    return remark(place, 'None of the collections that it may point to is here; only the key is left of it.')
  return { kind: 'any', to, by }
}

/** Returns collections to which a field can no longer refer. */
export function lostTargets({ anyOf }: RelationFact, tables: LeadPlace['tables']): readonly string[] {
  return anyOf.filter((name) => !tables.has(name))
}
