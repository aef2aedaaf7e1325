import { combine, type EngineError, fault, quote } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { suggestion } from '../../errors/suggest.ts'
import { defaultLimits } from '../../query/limits.ts'
import { readFilter } from '../../query/read-filter.ts'
import { newReader } from '../../query/reader.ts'
import type { Collection, Field, RelationFilter, Schema } from '../../schema/model.ts'
import { conditionsOf, isToMany } from '../../schema/model.ts'
import { hasVariable, nobody, pathsIn } from '../../vocabulary/variables.ts'
import { resolveRelation } from '../filter/relation-condition.ts'
import { resolveFilter } from '../filter/resolve-filter.ts'
import { reportTexts } from '../filter/rule-texts.ts'
import { predicateTouches, withinOf } from '../touches.ts'

/** Refuses a schema with validations, or conditions of relations, that could never be met or evaluated. */
export function checkValidations(schema: Schema): void {
  const mistakes = [...schema.collections.values()].flatMap((collection) =>
    [...collection.fields.values()].flatMap((field) => mistakesOf(field, collection, schema)),
  )
  if (mistakes.length > 0) throw combine(mistakes)
}

/** The problems of the condition of a relation: its names, paths of variables, and relations that lead back into it. */
function relationMistakes(within: RelationFilter, field: Field): EngineError[] {
  const { name, collection } = field
  const { path, filter } = within
  const problems = new Problems('INVALID_QUERY')
  const arm = String(path.at(-1))
  if (field.kind === 'any' && !field.targets.has(arm))
    problems.add(path, `it leads to no ${quote(arm)}.`, suggestion(arm, field.targets.keys()))
  reportTexts(filter, path, (...mistake) => problems.add(...mistake))
  const [variable] = pathsIn(filter)
  if (variable !== undefined)
    problems.add(path, `${quote(variable)} has a path; variables of a relation are looked up nowhere.`)
  if (problems.isEmpty) resolveRelation(within, nobody, problems)
  if (problems.isEmpty && namesItself(within))
    problems.add(path, 'it names the relation itself, by itself or through others.')
  const place = `The filter of field "${name}" of collection "${collection.name}"`
  return problems.all.map(({ message, path: at, hint }) =>
    fault('INVALID_SCHEMA', `${place}: ${message}`, { path: at, hint }),
  )
}

/** True if the condition of a relation leads to a relation with the same condition. */
function namesItself(within: RelationFilter): boolean {
  const known = new Set<object>()
  const left: RelationFilter[] = [within]
  for (let next = left.pop(); next; next = left.pop()) {
    const filter = withoutVariables(next.filter)
    const named = predicateTouches(
      resolveRelation({ ...next, filter }, nobody, new Problems('INVALID_QUERY')),
    )
    for (const touch of named) {
      const inner = withinOf(touch)
      if (inner?.filter === within.filter) return true
      if (inner && !known.has(inner.filter)) left.push(inner)
      if (inner) known.add(inner.filter)
    }
  }
  return false
}

/** A condition with a variable without a value is false, and names nothing. */
const withoutVariables = (filter: object): object =>
  JSON.parse(
    JSON.stringify(filter, (_, value: unknown) =>
      typeof value === 'string' && hasVariable(value) ? null : value,
    ),
  )

export function mistakesOf(field: Field, collection: Collection, schema: Schema): EngineError[] {
  if (isToMany(field) || field.kind === 'any')
    return conditionsOf(field).flatMap((within) => relationMistakes(within, field))
  if (field.validation === undefined) return []
  const path = [collection.name, 'fields', field.name, 'validation']
  const reader = newReader(defaultLimits, false)
  const node = readFilter(field.validation, path, reader)
  const texts = new Problems('INVALID_OPTIONS')
  if (reader.problems.isEmpty) reportTexts(node, path, (...mistake) => texts.add(...mistake))
  if (!texts.isEmpty) return [...texts.all]
  const problems = new Problems('INVALID_QUERY')
  // The caller and the time are not known yet; a variable without a value is no mistake.
  const circumstances = nobody
  if (reader.problems.isEmpty)
    resolveFilter(node, collection, path, { schema, circumstances, problems, use: 'validation' })
  const place = `The validation of field "${field.name}" of collection "${collection.name}"`
  return [...reader.problems.all, ...problems.all].map(({ message, path: at, hint }) =>
    fault('INVALID_SCHEMA', `${place}: ${message}`, { path: at, hint }),
  )
}
