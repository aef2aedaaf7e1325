// Turns a description into a schema: drops each invalid part, and remarks it.
import { type EngineError, fault, type Path } from '../errors/errors.ts'
import { checkShape } from '../schema/check.ts'
import type { CollectionDefinition, SchemaDefinition } from '../schema/definition.ts'
import { link } from '../schema/link.ts'
import type { Schema } from '../schema/model.ts'
import type { CmsRemark } from './cms-remark.ts'
import type { Description } from './describe.ts'

export interface Sound {
  readonly schema: Schema<SchemaDefinition>
  readonly remarks: readonly CmsRemark[]
}

export function dropInvalid({ definition, remarks }: Description): Sound {
  if (Object.keys(definition).length === 0)
    throw fault('INVALID_SCHEMA', 'There is no table that could be a collection.')
  const mistakes = checkShape(definition)
  const linked = mistakes.length === 0 ? link(definition) : undefined
  const problems = linked?.problems ?? mistakes
  if (linked && problems.length === 0)
    return { schema: { collections: linked.collections, definition, defaultFields: 'all' }, remarks }
  const places = problems.map(placeOf)
  return dropInvalid({
    definition: without(definition, places),
    remarks: [...remarks, ...problems.map(remarkOf)],
  })
}

function remarkOf(problem: EngineError): CmsRemark {
  const { collection, field } = placeOf(problem)
  return { collection, ...(field !== undefined && { field }), message: problem.message }
}

interface Location {
  readonly collection: string
  readonly field?: string
  readonly isSortField?: true
}

/** Returns the smallest part that contains the mistake. */
function placeOf({ path = [] }: EngineError): Location {
  const [name, part, field]: Path = path
  const collection = String(name)
  if (part === 'fields' && field !== undefined) return { collection, field: String(field) }
  return part === 'sortField' ? { collection, isSortField: true } : { collection }
}

function without(
  definition: Description['definition'],
  places: readonly Location[],
): Readonly<Record<string, CollectionDefinition>> {
  const left = Object.entries(definition).flatMap(([name, collection]) => {
    const own = places.filter((place) => place.collection === name)
    if (own.some(({ field, isSortField }) => field === undefined && !isSortField)) return []
    const { sortField, ...rest } = collection
    const gone = new Set(own.map(({ field }) => field))
    const fields = Object.fromEntries(Object.entries(collection.fields).filter(([field]) => !gone.has(field)))
    const isSorted = sortField !== undefined && !own.some(({ isSortField }) => isSortField)
    return [[name, { ...rest, ...(isSorted && { sortField }), fields }] as const]
  })
  return Object.fromEntries(left)
}
