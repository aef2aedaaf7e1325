import { anything, checkOptions, optionNames } from '../errors/check-options.ts'
import { combine, fault, quote } from '../errors/errors.ts'
import { checkShape } from './check.ts'
import type { CheckSchema } from './check-types.ts'
import type { SchemaDefinition } from './definition.ts'
import { link } from './link.ts'
import { type DefaultFields, defaultFieldsWords, type Schema } from './model.ts'

/** Options of a schema. */
export interface SchemaOptions<Default extends DefaultFields = DefaultFields> {
  /** Fields that a query without `fields`, and each `*` in it, stands for: `all`, or only those with a `column`. By default `all`. */
  readonly defaultFields?: Default
}

const schemaOptions = optionNames<SchemaOptions>({ defaultFields: anything })

/** Checks the description of the collections and links its names. All mistakes are reported together.
 *  @example const tags = defineSchema({
 *    tags: { fields: { id: { type: 'integer', key: true }, name: { type: 'string' } } },
 *  })
 *  tags.collections.get('tags')?.key?.kind // → 'scalar' */
export function defineSchema<const S extends SchemaDefinition, const Default extends DefaultFields = 'all'>(
  definition: S & CheckSchema<S>,
  options?: SchemaOptions<Default>,
): Schema<S, Default>
export function defineSchema(definition: SchemaDefinition, options: SchemaOptions = {}): Schema {
  checkOptions(options, schemaOptions)
  const { defaultFields = 'all' } = options
  checkDefaultFields(defaultFields)
  const mistakes = checkShape(definition)
  if (mistakes.length > 0) throw combine(mistakes)
  const { collections, problems } = link(definition)
  if (problems.length > 0) throw combine(problems)
  for (const { name, key } of collections.values())
    if (!key && definition[name]?.key !== false) warnOfNoKey(name)
  return Object.freeze({ collections, definition, defaultFields })
}

/** Warns a host of a collection without a key, which is seldom intended: its items cannot be written. */
function warnOfNoKey(name: string): void {
  // biome-ignore lint/suspicious/noConsole: no call fails that only lists, so the host would notice it late
  console.warn(
    `Collection ${quote(name)} has no key, so its items can only be listed. Mark a field with "key: true", or say "key: false" beside "fields" if nothing identifies them.`,
  )
}

export function checkDefaultFields(input: unknown): void {
  if (defaultFieldsWords.some((word) => word === input)) return
  const words = defaultFieldsWords.map(quote).join(' or ')
  throw fault('INVALID_OPTIONS', `"defaultFields" is ${words}, not ${quote(input)}.`, {
    path: ['defaultFields'],
  })
}
