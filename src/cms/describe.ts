// Describes the service's collections as a schema. Nothing is checked yet; parts that do not fit into a schema are remarked.
import type { CataloguePhrases, CatalogueTable } from '../dialects/catalogue.ts'
import { quote } from '../errors/errors.ts'
import type { CollectionDefinition, FieldDefinition } from '../schema/definition.ts'
import type { CmsRemark } from './cms-remark.ts'
import type { FieldFact, RelationFact } from './facts.ts'
import { listField } from './list-field.ts'
import type { CollectionFact, ServiceMetadata } from './metadata.ts'
import { type Lead, storedField, type TypeReader } from './stored-field.ts'
import { isInternal, isSystem, singletons } from './system-collections.ts'

interface Sources {
  readonly facts: ServiceMetadata
  readonly tables: readonly CatalogueTable[]
  readonly phrases: CataloguePhrases
  /** Given if tables cannot be found by their unqualified names. */
  readonly dbSchema: string | undefined
}

export interface Description {
  readonly definition: Readonly<Record<string, CollectionDefinition>>
  readonly remarks: readonly CmsRemark[]
}

type FieldDefinitions = Readonly<Record<string, FieldDefinition>>

interface DescribeState extends Sources {
  readonly kept: ReadonlyMap<string, CatalogueTable>
  readonly types: TypeReader
  readonly remarks: CmsRemark[]
}

export function describe(sources: Sources): Description {
  const remarks: CmsRemark[] = []
  const collections = new Map(sources.facts.collections.map((fact) => [fact.name, fact]))
  const kept = keptTables(sources.tables, collections, remarks)
  const types = { guess: sources.phrases.guess, isLoose: sources.phrases.evidence !== undefined }
  const work: DescribeState = { ...sources, kept, types, remarks }
  const stored = new Map([...kept.values()].map((table) => [table.name, columnFields(table, work)]))
  const definition = Object.fromEntries(
    [...stored].map(([name, own]) => {
      const fields = { ...own, ...listFields(name, own, stored, work) }
      return [name, collectionOf(name, fields, collections.get(name), work)]
    }),
  )
  remarkLost(work, definition)
  return { definition, remarks }
}

function keptTables(
  tables: readonly CatalogueTable[],
  collections: ReadonlyMap<string, CollectionFact>,
  remarks: CmsRemark[],
): ReadonlyMap<string, CatalogueTable> {
  const kept = new Map<string, CatalogueTable>()
  for (const table of tables) {
    if (table.kind !== 'table' || isInternal(table.name)) continue
    const reason = unfitness(table, collections.get(table.name))
    if (reason === undefined) kept.set(table.name, table)
    else remarks.push({ collection: table.name, message: reason })
  }
  return kept
}

function unfitness({ primaryKey }: CatalogueTable, fact: CollectionFact | undefined): string | undefined {
  if (fact && !fact.isActive) return 'It is not active, so it is left out.'
  if (primaryKey.length === 1) return undefined
  return primaryKey.length === 0
    ? 'Its table has no primary key, so it is left out.'
    : 'Its primary key has several columns, so it is left out.'
}

function columnFields(table: CatalogueTable, work: DescribeState): FieldDefinitions {
  const { facts, kept, types, phrases, remarks } = work
  const fields: [string, FieldDefinition][] = []
  for (const column of table.columns) {
    const { name } = column
    const remark = (message: string) => remarks.push({ collection: table.name, field: name, message })
    const found = referenceTargetOf({ table, column: name, relations: facts.relations, tables: kept })
    if (found && 'message' in found) remarks.push(found)
    const lead = found && 'kind' in found ? found : undefined
    const fact = factOf(table.name, name, facts)
    const { constant } = phrases
    const field = storedField({ table, column, fact, lead, types, constant, remark })
    if (field) fields.push([name, field])
    else remark(`No type of a field holds what the database calls ${quote(column.declared)}.`)
  }
  return Object.fromEntries(fields)
}

/** Returns the fact about a field. The first is the service's own about its own table. */
const factOf = (collection: string, name: string, { fields }: ServiceMetadata): FieldFact | undefined =>
  fields.find((fact) => fact.collection === collection && fact.name === name)

function listFields(
  collection: string,
  own: FieldDefinitions,
  stored: ReadonlyMap<string, FieldDefinitions>,
  { facts, remarks }: DescribeState,
): FieldDefinitions {
  const lists = facts.relations.filter(({ to, alias }) => to === collection && alias !== undefined)
  const fields: [string, FieldDefinition][] = []
  for (const relation of inOrderOf(facts.fields, lists)) {
    const { alias = '', from } = relation
    // An older service does not have this table, nor the relation.
    if (isSystem(from.collection) && !stored.has(from.collection)) continue
    const remark = (message: string) => remarks.push({ collection, field: alias, message })
    const field = listField(relation, stored.get(from.collection), remark)
    if (typeof field === 'string') remark(field)
    else if (Object.hasOwn(own, alias)) remark('A column has the name of this relation, and keeps it.')
    else fields.push([alias, withNote(field, factOf(collection, alias, facts))])
  }
  return Object.fromEntries(fields)
}

/** Sorts relations in the order of the fields; those without a field come last. */
function inOrderOf(
  fields: readonly FieldFact[],
  relations: readonly RelationFact[],
): readonly RelationFact[] {
  const places = new Map(fields.map(({ collection, name }, index) => [`${collection}.${name}`, index]))
  const placeOf = ({ to, alias }: RelationFact) => places.get(`${to}.${alias}`) ?? fields.length
  return relations.toSorted((one, other) => placeOf(one) - placeOf(other))
}

const withNote = <Field extends FieldDefinition>(field: Field, fact: FieldFact | undefined): Field =>
  fact?.note === undefined ? field : { ...field, note: fact.note }

function collectionOf(
  name: string,
  fields: FieldDefinitions,
  fact: CollectionFact | undefined,
  { remarks, dbSchema }: DescribeState,
): CollectionDefinition {
  const sortField = fact?.sortField
  const isSorted = sortField !== undefined && Object.hasOwn(fields, sortField)
  if (sortField !== undefined && !isSorted)
    remarks.push({ collection: name, message: `There is no field ${quote(sortField)} to sort it by.` })
  return {
    ...(dbSchema !== undefined && { dbSchema }),
    ...((fact?.isSingleton || singletons.has(name)) && { singleton: true }),
    ...(fact?.isVersioned && { versioned: true }),
    ...(isSorted && { sortField }),
    ...(fact?.note !== undefined && { note: fact.note }),
    fields,
  }
}

/** Remarks collections and fields that the service describes, but that do not exist. */
function remarkLost(
  { facts, kept, tables, remarks }: DescribeState,
  definition: Description['definition'],
): void {
  const there = new Set(tables.map(({ name }) => name))
  const gone = facts.collections.filter(({ name }) => !there.has(name))
  for (const { name } of gone)
    remarks.push({ collection: name, message: 'It has no table: it is a folder, or its table is gone.' })
  const said = new Set(remarks.map(({ collection, field }) => `${collection}.${field}`))
  for (const { collection, name, specials, isKept } of facts.fields) {
    const fields = definition[collection]?.fields
    if (isSystem(collection) && (isKept || !fields)) continue
    if (fields ? Object.hasOwn(fields, name) || isForShow(specials) : there.has(collection)) continue
    if (said.has(`${collection}.${name}`) || isSystem(collection)) continue
    const message = fields ? 'It has neither a column nor a relation.' : 'Its collection is not here.'
    remarks.push({ collection, field: name, message })
  }
  for (const relation of facts.relations)
    for (const lost of kept.has(relation.from.collection) ? lostTargets(relation, kept) : [])
      remarks.push({
        ...relation.from,
        message: `It may point to ${quote(lost)}, which is no collection here.`,
      })
}

/** True for fields that are part of a form, and not of an item. */
const isForShow = (specials: readonly string[]) =>
  specials.some((special) => special === 'no-data' || special === 'group' || special === 'alias')

interface LeadPlace {
  readonly table: CatalogueTable
  readonly column: string
  readonly relations: readonly RelationFact[]
  readonly tables: ReadonlyMap<string, CatalogueTable>
}

/** Returns the target of a column. Undefined for a plain value; a remark if a relation cannot be kept, so that only its value remains. */
function referenceTargetOf(place: LeadPlace): Lead | CmsRemark | undefined {
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
function lostTargets({ anyOf }: RelationFact, tables: LeadPlace['tables']): readonly string[] {
  return anyOf.filter((name) => !tables.has(name))
}
