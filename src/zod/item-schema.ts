// Schemas of items as they are returned without a choice of fields: own fields, and relations as keys.
import * as z from 'zod'
import { type Collection, type Field, isToMany, keyOf, type Schema } from '../schema/model.ts'
import { outputSchema } from '../schema/output-schema.ts'
import type { JsonSchema } from '../types/family-row.ts'
import { isRecord } from '../values/guards.ts'

export function itemSchema({ defaultFields }: Schema, { fields, isSingleton, note }: Collection) {
  const shown = [...fields.values()].filter((field) => isShown(field, defaultFields))
  const members = shown.map((field): [string, z.ZodType] => {
    const value = shownValue(field)
    // A singleton that is not stored yet is all null.
    const held = isToMany(field) || !(field.isNullable || isSingleton) ? value : value.nullable()
    return [field.name, field.note === undefined ? held : held.describe(field.note)]
  })
  const item = z.strictObject(Object.fromEntries(members))
  return note === undefined ? item : item.describe(note)
}

const isShown = (field: Field, defaultFields: Schema['defaultFields']): boolean =>
  !isToMany(field) || (defaultFields === 'all' && field.target.key !== undefined)

const shownValue = (field: Field): z.ZodType =>
  isToMany(field)
    ? z.array(fromJsonSchema(outputSchema(keyOf(field.target))))
    : fromJsonSchema(outputSchema(field))

/** Returns the schema of zod for one of JSON Schema, for the keywords that result values use. */
function fromJsonSchema(schema: JsonSchema): z.ZodType {
  const { type, enum: words, const: only, pattern, items, prefixItems, anyOf } = schema
  if (typeof only === 'string') return z.literal(only)
  if (Array.isArray(words)) return z.literal(words.filter((word) => typeof word === 'string'))
  if (Array.isArray(anyOf)) return z.union(anyOf.filter(isRecord).map(fromJsonSchema))
  if (Array.isArray(type)) return z.union(type.map((one) => fromJsonSchema({ ...schema, type: one })))
  if (type === 'string')
    return typeof pattern === 'string' ? z.string().regex(new RegExp(pattern)) : z.string()
  if (type === 'array') {
    const [first, ...others] = Array.isArray(prefixItems)
      ? prefixItems.filter(isRecord).map(fromJsonSchema)
      : []
    return first
      ? z.tuple([first, ...others])
      : z.array(isRecord(items) ? fromJsonSchema(items) : z.unknown())
  }
  return byType[String(type)]?.() ?? z.unknown()
}

const byType: Readonly<Record<string, () => z.ZodType>> = {
  integer: () => z.int(),
  number: () => z.number(),
  boolean: () => z.boolean(),
  null: () => z.null(),
}
