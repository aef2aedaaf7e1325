import { safeParse, type z } from 'zod'
import { type EngineError, fault, type Path, quote } from '../errors/errors.ts'
import { nearest } from '../errors/suggest.ts'
import type { FieldType } from '../types/families.ts'
import { fieldTypes, isFieldType } from '../types/field-types.ts'
import { isRecord } from '../values/guards.ts'
import { columnRules, type ScalarOptions, scalarRules } from './field-rules.ts'
import { wrongName } from './forbidden-names.ts'
import { collectionShape, relationShapes, scalarShape } from './shapes.ts'

/** All mistakes in the literal that can be found without resolving names. */
export function checkShape(definition: unknown): readonly EngineError[] {
  if (!isRecord(definition)) return [schemaFault(undefined, 'A schema is an object of collections.')]
  const collections = Object.entries(definition)
  if (collections.length === 0) return [schemaFault(undefined, 'A schema needs at least one collection.')]
  return collections.flatMap(([name, collection]) => checkCollection(name, collection))
}

/** A collection or a field of it, as named in messages. */
export interface SchemaPlace {
  readonly collection: string
  readonly field?: string | undefined
}

/** An error at a place of the schema. The sentence continues after the place's name. */
export function schemaFault(
  place: SchemaPlace | undefined,
  sentence: string,
  option: Path = [],
  hint?: string,
): EngineError {
  if (!place) return fault('INVALID_SCHEMA', sentence, { path: option, hint })
  const { collection, field } = place
  const [name, path] =
    field === undefined
      ? [`Collection ${quote(collection)}`, [collection]]
      : [`Field ${quote(field)} of collection ${quote(collection)}`, [collection, 'fields', field]]
  return fault('INVALID_SCHEMA', `${name}${sentence}`, { path: [...path, ...option], hint })
}

function checkCollection(name: string, definition: unknown): EngineError[] {
  const place = { collection: name }
  const bad = wrongName(name)
  if (bad) return [schemaFault(place, `: its name ${bad}.`)]
  if (!isRecord(definition)) return [schemaFault(place, ' is an object with "fields".')]
  const mistakes = checkOptions(place, collectionShape, definition)
  if (!isRecord(definition.fields)) return mistakes
  const fields = Object.entries(definition.fields)
  if (fields.length === 0) mistakes.push(schemaFault(place, ' has no fields.', ['fields']))
  return [...mistakes, ...fields.flatMap(([field, given]) => checkField({ collection: name, field }, given))]
}

function checkField(place: Required<SchemaPlace>, definition: unknown): EngineError[] {
  const bad = wrongName(place.field ?? '')
  if (bad) {
    const hint = 'Give the field another name, and the column with the option "column".'
    return [schemaFault(place, `: its name ${bad}.`, [], hint)]
  }
  if (!isRecord(definition) || typeof definition.type !== 'string')
    return [schemaFault(place, ' has no type.')]
  const { type } = definition
  if (isFieldType(type)) return checkScalar(place, type, definition)
  if (!isRelationType(type)) return [unknownType(place, type)]
  const mistakes = checkOptions(place, relationShapes[type], definition)
  return mistakes.length > 0 || type !== 'm2o'
    ? mistakes
    : broken(place, columnRules, (rule) => rule.breaks(definition))
}

const isRelationType = (type: string): type is keyof typeof relationShapes =>
  Object.hasOwn(relationShapes, type)

function unknownType(place: SchemaPlace, type: string): EngineError {
  const near = nearest(type, [...Object.keys(fieldTypes), ...Object.keys(relationShapes)])
  return schemaFault(place, `: there is no type ${quote(type)}.`, ['type'], near && `Did you mean "${near}"?`)
}

function checkScalar(place: SchemaPlace, type: FieldType, definition: object): EngineError[] {
  const mistakes = checkOptions(place, scalarShape, definition)
  if (mistakes.length > 0) return mistakes
  const { family } = fieldTypes[type]
  // The shape has just been checked.
  const options = definition as ScalarOptions
  return broken(
    place,
    scalarRules,
    (rule) => options[rule.option] !== undefined && rule.breaks(options, family),
  )
}

interface DefinitionRule {
  readonly option: string
  readonly says: string
}

function broken<R extends DefinitionRule>(
  place: SchemaPlace,
  rules: readonly R[],
  breaks: (rule: R) => boolean,
): EngineError[] {
  return rules.filter(breaks).map((rule) => schemaFault(place, `: ${rule.says}`, [rule.option]))
}

/** Checks the given options: a field has two or three of the twenty it could have. */
function checkOptions(place: SchemaPlace, shape: z.ZodObject, definition: object): EngineError[] {
  const mistakes: EngineError[] = []
  for (const [option, value] of Object.entries(definition)) {
    const rule = Object.hasOwn(shape.shape, option) ? shape.shape[option] : undefined
    if (rule) mistakes.push(...checkOption(place, option, rule, value))
    else mistakes.push(unknownOption(place, option, Object.keys(shape.shape)))
  }
  for (const [option, rule] of requiredIn(shape)) {
    if (!Object.hasOwn(definition, option)) mistakes.push(...checkOption(place, option, rule, undefined))
  }
  return mistakes
}

function checkOption(
  place: SchemaPlace,
  option: string,
  rule: z.core.$ZodType,
  value: unknown,
): readonly EngineError[] {
  const { error } = safeParse(rule, value)
  if (!error) return fine
  return error.issues.map((issue) => {
    const path = [option, ...issue.path.filter((step) => typeof step !== 'symbol')]
    return schemaFault(place, `: the option ${quote(option)} ${issue.message}.`, path)
  })
}

const fine: readonly EngineError[] = []

type DefinitionOptions = readonly (readonly [option: string, rule: z.core.$ZodType])[]
const required = new WeakMap<z.ZodObject, DefinitionOptions>()

/** The options that a shape requires. */
function requiredIn(shape: z.ZodObject): DefinitionOptions {
  const known = required.get(shape)
  if (known) return known
  const options = Object.entries(shape.shape).filter(([, rule]) => !safeParse(rule, undefined).success)
  required.set(shape, options)
  return options
}

function unknownOption(place: SchemaPlace, option: string, legal: readonly string[]): EngineError {
  const near = nearest(option, legal)
  return schemaFault(
    place,
    `: there is no option ${quote(option)}.`,
    [option],
    near && `Did you mean "${near}"?`,
  )
}
