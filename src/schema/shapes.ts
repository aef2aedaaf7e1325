// Shapes of a definition, option by option. Each message continues after `the option "…"`.
import { z } from 'zod'
import type { FieldType } from '../types/families.ts'
import { storages } from '../types/family-row.ts'
import { isRecord, isSound } from '../values/guards.ts'
import { deselections, specials } from './definition.ts'

// z.record drops a key called __proto__, which would then not be refused.
const record = (error: string) => z.custom<Readonly<Record<string, unknown>>>(isRecord, { error })

const flag = z.boolean({ error: 'takes true or false' }).optional()
const size = z
  .int({ error: 'takes a whole number of 0 or more' })
  .min(0, { error: 'takes a whole number of 0 or more' })
  .optional()
const note = z.string({ error: 'takes text' }).optional()
const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `takes one of ${words.join(', ')}` }).optional()
const required = (error: string) => z.string({ error }).min(1, { error })
const isIdentifier = (text: string) => text !== '' && isSound(text)
/** A name in the database. Quoted, it may be any text. */
const identifier = z
  .string({ error: 'takes text that is not empty' })
  .refine(isIdentifier, { error: 'takes text that is not empty' })
  .optional()

const specialsSay = { error: `takes a list of ${specials.join(', ')}` }
const storedOptions = {
  key: flag,
  nullable: flag,
  default: z.unknown().optional(),
  defaulted: flag,
  unique: flag,
  column: identifier,
  special: z.array(z.enum(specials, specialsSay), specialsSay).optional(),
  validation: record('takes a filter').optional(),
  readonly: flag,
  note,
}

const valuesSay = { error: 'takes a list of texts' }
const isValidator = (given: unknown) =>
  typeof given === 'function' || (typeof given === 'object' && given !== null)
export const scalarShape = z.strictObject({
  ...storedOptions,
  type: z.custom<FieldType>(),
  storage: oneOf(storages),
  conceal: flag,
  length: size,
  precision: size,
  scale: size,
  wide: flag,
  searchable: flag,
  values: z.array(z.string(valuesSay), valuesSay).min(1, valuesSay).optional(),
  enumType: identifier,
  array: flag,
  generated: flag,
  srid: size,
  schema: z.custom(isValidator, { error: 'takes a Standard Schema validator' }).optional(),
})

const type = z.string()
const collectionField = required('takes collection.field')
const toMany = {
  type,
  sort: required('takes the name of a field').optional(),
  deselect: oneOf(deselections),
  note,
}
const through = z.strictObject({
  ...toMany,
  through: collectionField,
  to: required('takes the name of a field of the junction'),
})
const targets = { error: 'takes a list of names of collections' }
export const relationShapes = {
  m2o: z.strictObject({ ...storedOptions, type, to: required('takes the name of a collection') }),
  o2m: z.strictObject({ ...toMany, from: collectionField }),
  m2m: through,
  m2a: through,
  any: z.strictObject({
    type,
    to: z
      .array(z.string(targets), targets)
      .min(1, targets)
      .refine((names) => new Set(names).size === names.length, { error: 'names a collection twice' }),
    by: required('takes the name of a string field beside it'),
    nullable: flag,
    column: identifier,
    note,
  }),
}

export const collectionShape = z.strictObject({
  table: identifier,
  dbSchema: identifier,
  singleton: flag,
  versioned: flag,
  sortField: required('takes the name of a field').optional(),
  note,
  fields: record('takes an object of fields'),
})
