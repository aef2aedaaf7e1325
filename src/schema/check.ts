import { type EngineError, fault, type Path, quote } from '../errors/errors.ts'
import { wordHint } from '../errors/suggest.ts'
import type { FieldType } from '../types/families.ts'
import { fieldTypes, isFieldType } from '../types/field-types.ts'
import { isRecord } from '../values/guards.ts'
import type { ScalarDefinition } from './definition.ts'
import {
  collectionOptions,
  type OptionRule,
  type OptionRules,
  relationOptions,
  scalarOptions,
} from './definition-options.ts'
import { anyRules, linkRules, scalarRules } from './field-rules.ts'
import { wrongName } from './forbidden-names.ts'

/** All mistakes in the literal that can be found without resolving names. */
export function checkShape(definition: unknown): readonly EngineError[] {
  if (!isRecord(definition)) return [schemaFault(undefined, 'A schema is an object of collections.')]
  const collections = Object.entries(definition)
  if (collections.length === 0) return [schemaFault(undefined, 'A schema needs at least one collection.')]
  return collections.flatMap(([name, collection]) => checkCollection(name, collection))
}

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
  const mistakes = checkOptions(place, collectionOptions, definition)
  if (!isRecord(definition.fields)) return mistakes
  const fields = Object.entries(definition.fields)
  if (fields.length === 0) mistakes.push(schemaFault(place, ' has no fields.', ['fields']))
  return [...mistakes, ...fields.flatMap(([field, input]) => checkField({ collection: name, field }, input))]
}

function checkField(place: Required<SchemaPlace>, definition: unknown): EngineError[] {
  const bad = wrongName(place.field ?? '')
  if (bad) {
    const hint = 'Give the field another name, and the column with the option "column".'
    return [schemaFault(place, `: its name ${bad}.`, [], hint)]
  }
  if (!isRecord(definition) || typeof definition.type !== 'string')
    return [schemaFault(place, ' has no type.', [], typed(definition))]
  const { type } = definition
  if (isFieldType(type)) return checkScalar(place, type, definition)
  if (!isRelationType(type)) return [unknownType(place, type)]
  const mistakes = checkOptions(place, relationOptions[type], definition)
  if (mistakes.length > 0) return mistakes
  if (type === 'any') return broken(place, anyRules, (rule) => rule.breaks(definition))
  return type === 'm2o' ? broken(place, linkRules, (rule) => rule.breaks(definition)) : mistakes
}

/** A hint for a type that stands in the place of the field. */
const typed = (definition: unknown): string | undefined =>
  typeof definition === 'string'
    ? `Write { type: '${isFieldType(definition) ? definition : 'string'}' }.`
    : undefined

const isRelationType = (type: string): type is keyof typeof relationOptions =>
  Object.hasOwn(relationOptions, type)

function unknownType(place: SchemaPlace, type: string): EngineError {
  const hint = wordHint('type', type, [...Object.keys(fieldTypes), ...Object.keys(relationOptions)])
  return schemaFault(place, `: there is no type ${quote(type)}.`, ['type'], hint)
}

function checkScalar(place: SchemaPlace, type: FieldType, definition: object): EngineError[] {
  const mistakes = checkOptions(place, scalarOptions, definition)
  if (mistakes.length > 0) return mistakes
  const { family } = fieldTypes[type]
  // The shape has just been checked.
  const options = definition as ScalarDefinition
  return broken(
    place,
    scalarRules,
    (rule) => options[rule.option] !== undefined && rule.breaks(options, family),
  )
}

function broken<R extends { readonly option: string; readonly says: string }>(
  place: SchemaPlace,
  rules: readonly R[],
  breaks: (rule: R) => boolean | string,
): EngineError[] {
  return rules.flatMap((rule) => {
    const hint = breaks(rule)
    return hint ? [schemaFault(place, `: ${rule.says}`, [rule.option], hint === true ? undefined : hint)] : []
  })
}

function checkOptions(place: SchemaPlace, rules: OptionRules, definition: object): EngineError[] {
  const mistakes: EngineError[] = []
  for (const [option, value] of Object.entries(definition)) {
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined
    if (rule) mistakes.push(...checkOption(place, option, rule, value))
    else mistakes.push(unknownOption(place, option, Object.keys(rules)))
  }
  for (const [option, rule] of Object.entries(rules)) {
    if (rule.isRequired && !Object.hasOwn(definition, option))
      mistakes.push(...checkOption(place, option, rule, undefined))
  }
  return mistakes
}

function checkOption(
  place: SchemaPlace,
  option: string,
  { says, holds, holdsEntry, isRequired }: OptionRule,
  value: unknown,
): readonly EngineError[] {
  if (value === undefined && !isRequired) return fine
  const mistake = (path: Path) => schemaFault(place, `: the option ${quote(option)} ${says}.`, path)
  if (!holds(value)) return [mistake([option])]
  if (!holdsEntry || !Array.isArray(value)) return fine
  return [...value].flatMap((entry: unknown, index) => (holdsEntry(entry) ? [] : [mistake([option, index])]))
}

const fine: readonly EngineError[] = []

function unknownOption(place: SchemaPlace, option: string, legal: readonly string[]): EngineError {
  const hint = wordHint(place.field === undefined ? 'collectionOption' : 'fieldOption', option, legal)
  return schemaFault(place, `: there is no option ${quote(option)}.`, [option], hint)
}
