// Options of a definition, and what each takes. Every sentence continues after `the option "…"`.
import { encodings, storages } from '../types/family-row.ts'
import { isRecord, isSound } from '../values/guards.ts'
import {
  type AnyDefinition,
  type CollectionDefinition,
  deselections,
  type ManyToOneDefinition,
  type OneToManyDefinition,
  type ScalarDefinition,
  type StandardValidator,
  specials,
  type ThroughDefinition,
} from './definition.ts'

/** The values that one option takes. */
export interface OptionRule {
  readonly says: string
  readonly holds: (input: unknown) => boolean
  /** The entries of a list: each wrong one is reported at its position. */
  readonly holdsEntry?: (entry: unknown) => boolean
  readonly isRequired?: true
}

export type OptionRules = Readonly<Record<string, OptionRule>>
/** None is forgotten, and none is left that is gone. */
type RulesOf<Definition> = Readonly<Record<keyof Definition, OptionRule>>

const isText = (input: unknown): input is string => typeof input === 'string'
const isName = (input: unknown) => isText(input) && input !== ''
const isIdentifier = (input: unknown) => isText(input) && input !== '' && isSound(input)
const isSize = (input: unknown) => Number.isSafeInteger(input) && Number(input) >= 0
// Of what the host gives only this is read, which may be a function with a property.
const isValidator = (input: unknown) =>
  typeof (Object(input) as Partial<StandardValidator>)['~standard']?.validate === 'function'
const isAmong = (words: readonly unknown[]) => (input: unknown) => words.includes(input)

const anything: OptionRule = { says: 'takes any value', holds: () => true }
const flag: OptionRule = { says: 'takes true or false', holds: (input) => typeof input === 'boolean' }
const size: OptionRule = { says: 'takes a whole number of 0 or more', holds: isSize }
const note: OptionRule = { says: 'takes text', holds: isText }
/** A name in the database. Quoted, it may be any text. */
const identifier: OptionRule = { says: 'takes text that is not empty', holds: isIdentifier }
const filter: OptionRule = { says: 'takes a filter', holds: isRecord }
const fieldName: OptionRule = { says: 'takes the name of a field', holds: isName }

const required = (says: string, holds = isName): OptionRule => ({ says, holds, isRequired: true })
const oneOf = (words: readonly string[]): OptionRule => ({
  says: `takes one of ${words.join(', ')}`,
  holds: isAmong(words),
})

const storedOptions = {
  key: flag,
  nullable: flag,
  default: anything,
  defaulted: flag,
  unique: flag,
  column: identifier,
  special: {
    says: `takes a list of ${specials.join(', ')}`,
    holds: Array.isArray,
    holdsEntry: isAmong(specials),
  },
  validation: filter,
  readonly: flag,
  note,
}

const isFilledList = (input: unknown): input is unknown[] => Array.isArray(input) && input.length > 0
export const scalarOptions: RulesOf<ScalarDefinition> = {
  ...storedOptions,
  type: anything,
  storage: oneOf(storages),
  encoding: oneOf(encodings),
  conceal: flag,
  length: size,
  precision: size,
  scale: size,
  wide: flag,
  searchable: flag,
  indexed: flag,
  values: { says: 'takes a list of texts', holds: isFilledList, holdsEntry: isText },
  enumType: identifier,
  databaseType: identifier,
  array: flag,
  generated: flag,
  rowNumber: flag,
  srid: size,
  schema: { says: 'takes a Standard Schema validator', holds: isValidator },
}

const fieldNames: OptionRule = {
  says: 'takes a list of names of fields, each once',
  holds: (input) => isFilledList(input) && new Set(input).size === input.length,
  holdsEntry: isName,
}

const manyToOneOptions: RulesOf<ManyToOneDefinition> = {
  ...storedOptions,
  type: anything,
  to: required('takes the name of a collection'),
  by: fieldNames,
  references: {
    says: 'takes a name, or beside "by" a list of names, each once',
    holds: (input) => isName(input) || fieldNames.holds(input),
    holdsEntry: isName,
  },
}

const toMany = { type: anything, sort: fieldName, filter, deselect: oneOf(deselections), note }
const oneToManyOptions: RulesOf<OneToManyDefinition> = { ...toMany, from: required('takes collection.field') }
const throughOptions: RulesOf<ThroughDefinition> = {
  ...toMany,
  through: required("takes collection.field: { through: 'articles_tags.article', to: 'tag' }"),
  to: required('takes the name of a field of the junction'),
}

const anyOptions: RulesOf<AnyDefinition> = {
  type: anything,
  to: { ...required('takes a list of names of collections', isFilledList), holdsEntry: isText },
  by: required('takes the name of a string field beside it'),
  filter,
  nullable: flag,
  column: identifier,
  note,
}

export const relationOptions = {
  m2o: manyToOneOptions,
  o2m: oneToManyOptions,
  m2m: throughOptions,
  m2a: throughOptions,
  any: anyOptions,
}

export const collectionOptions: RulesOf<CollectionDefinition> = {
  table: identifier,
  dbSchema: identifier,
  key: {
    ...fieldNames,
    says: `${fieldNames.says}, or false`,
    holds: (input) => input === false || fieldNames.holds(input),
  },
  singleton: flag,
  versioned: flag,
  sortField: fieldName,
  note,
  fields: required('takes an object of fields', isRecord),
}
