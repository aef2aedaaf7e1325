import { combine } from '../errors/errors.ts'
import { checkShape } from './check.ts'
import type { CheckSchema } from './check-types.ts'
import type { SchemaDefinition } from './definition.ts'
import { link } from './link.ts'
import type { Schema } from './model.ts'

/** Checks the description of the collections and links its names. All mistakes are reported together.
 *  @example const tags = defineSchema({
 *    tags: { fields: { id: { type: 'integer', key: true }, name: { type: 'string' } } },
 *  })
 *  tags.collections.get('tags')?.key.name // → 'id' */
export function defineSchema<const S extends SchemaDefinition>(definition: S & CheckSchema<S>): Schema<S> {
  const mistakes = checkShape(definition)
  if (mistakes.length > 0) throw combine(mistakes)
  const { collections, problems } = link(definition)
  if (problems.length > 0) throw combine(problems)
  return Object.freeze({ collections, definition })
}
