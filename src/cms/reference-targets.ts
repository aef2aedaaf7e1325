// Where columns lead: by the service's relations, else by the foreign keys of the database.
import type { CatalogueTable } from '../dialects/catalogue.ts'
import { quote } from '../errors/errors.ts'
import type { CmsRemark } from './cms-remark.ts'
import type { RelationFact } from './facts.ts'
import type { Lead } from './stored-field.ts'

export interface LeadPlace {
  readonly table: CatalogueTable
  readonly column: string
  readonly relations: readonly RelationFact[]
  /** Tables that are collections here. */
  readonly tables: ReadonlyMap<string, CatalogueTable>
}

/** Undefined for a plain value; a remark where a relation cannot be kept, so that only its value is left. */
export function referenceTargetOf(place: LeadPlace): Lead | CmsRemark | undefined {
  const { table, column, relations } = place
  const said = relations.find(({ from }) => from.collection === table.name && from.field === column)
  if (said) return said.to === undefined ? anyLead(said, place) : oneLead(said.to, place)
  const key = table.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === column)
  const target = key && place.tables.get(key.table.name)
  // A foreign key that leads to a table of the service's own, or past a primary key, is a value like any other.
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

/** Collections that a field may no longer point to. */
export function lostTargets({ anyOf }: RelationFact, tables: LeadPlace['tables']): readonly string[] {
  return anyOf.filter((name) => !tables.has(name))
}
