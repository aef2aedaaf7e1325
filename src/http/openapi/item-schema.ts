// Schemas of items in responses, with the fields that the query selects.
import { type Collection, type Field, isToMany, keyOf, shownKey, type ToMany } from '../../schema/model.ts'
import { isReadOnly, orNull, outputSchema } from '../../schema/output-schema.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { type AggregateName, aggregates } from '../../vocabulary/aggregates.ts'
import { aggregateDocs } from '../../vocabulary/docs.ts'

import { partOf, schemaNamed } from './component-names.ts'

/** Returns the schema of an item. Functions and aliases are beside its fields, under names from the query. */
export function itemSchema({ fields, isSingleton, note }: Collection): JsonSchema {
  return {
    type: 'object',
    ...(note !== undefined && { description: note }),
    properties: Object.fromEntries([...fields].map(([name, field]) => [name, member(field, isSingleton)])),
  }
}

/** Returns the schema of a member. In a singleton that does not exist yet, everything without a default is null. */
function member(field: Field, isSingleton: boolean): JsonSchema {
  const { note } = field
  return {
    ...(isToMany(field) ? related(field) : stored(field, isSingleton)),
    ...(!isToMany(field) && isReadOnly(field) && { readOnly: true }),
    ...(note !== undefined && { description: note }),
  }
}

/** Returns the schema of a reference: the key of another item or that item; null if it does not exist, or is not visible. */
function stored(field: Exclude<Field, ToMany>, isSingleton: boolean): JsonSchema {
  if (field.kind === 'm2o')
    return {
      anyOf: [outputSchema(field), partOf(field.target.name), schemaNamed('_absent'), { type: 'null' }],
    }
  if (field.kind === 'any') {
    const items = [...field.targets.values()].flatMap((target) => [
      outputSchema(keyOf(target)),
      partOf(target.name),
    ])
    return { anyOf: [outputSchema(field), ...unique(items), { type: 'null' }] }
  }
  return field.isNullable || isSingleton ? orNull(outputSchema(field)) : outputSchema(field)
}

const related = ({ target }: ToMany): JsonSchema => ({
  type: 'array',
  items: { anyOf: [bareKey(target), partOf(target.name), schemaNamed('_group')] },
})

/** Returns the schema of an element in a list of items without selected fields. */
function bareKey(collection: Collection): JsonSchema {
  const key = shownKey(collection)
  if (!key) return { type: 'null' }
  return key.isNullable ? orNull(outputSchema(key)) : outputSchema(key)
}

export function unique(schemas: readonly JsonSchema[]): readonly JsonSchema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
}

/** Schema of the item behind a reference that leads nowhere, in groups by its fields. */
export const absentSchema: JsonSchema = {
  type: 'object',
  description: 'With `groupBy`: the fields of a missing item.',
  additionalProperties: { anyOf: [{ type: 'null' }, schemaNamed('_absent')] },
}

/** Schema of a group: the result of a query with `aggregate`. */
export const groupSchema: JsonSchema = {
  type: 'object',
  description: 'A group: the fields by which it was grouped, and its aggregates.',
  properties: Object.fromEntries(
    Object.entries(aggregates).map(([name, row]) => [
      name,
      {
        type: 'takesStar' in row ? ['integer', 'object'] : 'object',
        description: aggregateDocs[name as AggregateName],
      },
    ]),
  ),
  anyOf: Object.keys(aggregates).map((name) => ({ required: [name] })),
}
