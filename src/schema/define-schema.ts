import { anything, checkOptions, optionNames } from '../errors/check-options.ts'
import { combine, type EngineError, fault, quote } from '../errors/errors.ts'
import { familyRow } from '../types/families.ts'
import { elementType } from '../types/field-types.ts'
import { checkShape, schemaFault } from './check.ts'
import type { CheckSchema } from './check-types.ts'
import type { SchemaDefinition } from './definition.ts'
import { link } from './link.ts'
import {
  type Collection,
  type DefaultFields,
  defaultFieldsWords,
  isStored,
  type Schema,
  type StoredField,
} from './model.ts'

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
  const unstorable = mistakenDefaults(collections.values())
  if (unstorable.length > 0) throw combine(unstorable)
  for (const { name, key } of collections.values())
    if (!key && definition[name]?.key !== false) warnOfNoKey(name)
  return Object.freeze({ collections, definition, defaultFields })
}

/** Returns the mistakes in the defaults of collections: found here, no write has to fail by them. */
const mistakenDefaults = (collections: Iterable<Collection>): readonly EngineError[] =>
  [...collections].flatMap((collection) =>
    [...collection.fields.values()].filter(isStored).flatMap((field) => mistakeOf(field, collection) ?? []),
  )

function mistakeOf(field: StoredField, { name: collection }: Collection): EngineError | undefined {
  const says = sentenceFor(field)
  if (says === undefined) return undefined
  const sentence = `: its default ${quote(field.default)} cannot be stored, because the field ${says}.`
  return schemaFault({ collection, field: field.name }, sentence, ['default'])
}

/** Returns what a field takes instead of its default; undefined if it takes that. */
function sentenceFor({ default: input, value: type }: StoredField): string | undefined {
  if (input === undefined || input === null) return undefined
  if (!type.isArray) return wrongIn(input, type)
  if (!Array.isArray(input)) return 'takes a list'
  const element = elementType(type)
  for (const one of input) {
    const says = one === null ? undefined : wrongIn(one, element)
    if (says !== undefined) return `${says} in each place of its list`
  }
  return undefined
}

function wrongIn(input: unknown, type: StoredField['value']): string | undefined {
  const read = familyRow(type.family).store(input, type)
  return read.kind === 'mistake' ? read.says : undefined
}

/** Tells a host of a collection that has no key, which is seldom meant: nothing of it can be written. */
function warnOfNoKey(name: string): void {
  // biome-ignore lint/suspicious/noConsole: no call fails that only lists, so the host would hear of it late
  console.warn(
    `Collection ${quote(name)} has no key, so its items can only be listed. Mark a field with "key: true", or say "key: false" beside "fields" if nothing identifies them.`,
  )
}

/** Checks a word for the fields that `*` stands for. */
export function checkDefaultFields(input: unknown): void {
  if (defaultFieldsWords.some((word) => word === input)) return
  const words = defaultFieldsWords.map(quote).join(' or ')
  throw fault('INVALID_OPTIONS', `"defaultFields" is ${words}, not ${quote(input)}.`, {
    path: ['defaultFields'],
  })
}
