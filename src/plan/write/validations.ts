import { combine, type EngineError, fault } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { defaultLimits } from '../../query/limits.ts'
import { readFilter } from '../../query/read-filter.ts'
import { newReader } from '../../query/reader.ts'
import type { Collection, Field, Schema } from '../../schema/model.ts'
import { isToMany } from '../../schema/model.ts'
import { resolveFilter } from '../filter/resolve-filter.ts'
import { reportTexts } from '../filter/rule-texts.ts'

/** Refuses a schema with validations that could never be met or evaluated. */
export function checkValidations(schema: Schema): void {
  const mistakes = [...schema.collections.values()].flatMap((collection) =>
    [...collection.fields.values()].flatMap((field) => mistakesOf(field, collection, schema)),
  )
  if (mistakes.length > 0) throw combine(mistakes)
}

/** The problems of the validation of one field. */
export function mistakesOf(field: Field, collection: Collection, schema: Schema): EngineError[] {
  if (isToMany(field) || field.validation === undefined) return []
  const path = [collection.name, 'fields', field.name, 'validation']
  const reader = newReader(defaultLimits, false)
  const node = readFilter(field.validation, path, reader)
  const texts = new Problems('INVALID_OPTIONS')
  if (reader.problems.isEmpty) reportTexts(node, path, (...mistake) => texts.add(...mistake))
  if (!texts.isEmpty) return [...texts.all]
  const problems = new Problems('INVALID_QUERY')
  // The caller and the time are not known yet; a variable without a value is no mistake.
  const circumstances = { now: new Date(0), caller: {} }
  if (reader.problems.isEmpty)
    resolveFilter(node, collection, path, { schema, circumstances, problems, use: 'validation' })
  const place = `The validation of field "${field.name}" of collection "${collection.name}"`
  return [...reader.problems.all, ...problems.all].map(({ message, path: at, hint }) =>
    fault('INVALID_SCHEMA', `${place}: ${message}`, { path: at, hint }),
  )
}
