import type { Path } from '../../errors/errors.ts'
import { type Collection, type Field, isToMany } from '../../schema/model.ts'
import type { AliasedRelation, NameReading } from '../filter/function-call.ts'
import { allOf, always, anyOf, decided, never, type Predicate } from '../filter/predicate.ts'
import { resolveFilter } from '../filter/resolve-filter.ts'
import { testsIn } from '../walk.ts'
import { type Level, levelBelow, parameterPath } from './query-level.ts'

/** The condition of a level: its filter and its search. It is resolved once, for the list and for all aggregates of it. */
export function conditionOf(level: Level): Predicate {
  const { query, collection, context, path } = level
  if (!query.filter && query.search === undefined) return always
  const place = JSON.stringify(path)
  const known = context.conditions.get(place)
  if (known) return known
  const filter = query.filter
    ? resolveFilter(query.filter, collection, parameterPath(level, 'filter'), {
        ...context,
        ...namingOf(level),
        use: 'query',
      })
    : always
  const related = relatedIn(filter)
  if (related > mostRelated)
    context.problems.add(
      parameterPath(level, 'filter'),
      `A filter takes at most ${mostRelated} sums and counts of related items, not ${related}.`,
    )
  const search = searchPredicate(query.search, collection, parameterPath(level, 'search'))
  const condition = decided(allOf([filter, search]))
  context.conditions.set(place, condition)
  return condition
}

/** Maximum number of sums and counts of related items in one filter. Each is a subselect, for each of which SQLite looks at all of them. */
const mostRelated = 20

/** Number of sums and counts of related items in a condition, with those in the conditions of aliased relations. */
const relatedIn = (condition: Predicate): number =>
  testsIn(condition).reduce(
    (sum, { subject }) => sum + (subject.kind === 'related' ? 1 + relatedIn(subject.condition) : 0),
    0,
  )

/** What the names of a level mean: an alias of a relation brings the condition of the level below along. */
export const namingOf = (level: Level): NameReading => ({
  circumstances: level.context.circumstances,
  aliases: { collection: level.collection, relation: (name) => relationAliased(name, level) },
})

function relationAliased(name: string, level: Level): AliasedRelation | undefined {
  const { alias } = level.query
  const text = alias && Object.hasOwn(alias, name) ? alias[name] : undefined
  const field = text === undefined ? undefined : level.collection.fields.get(text)
  if (!field || !isToMany(field)) return undefined
  const below = levelBelow(level, name, field.target, field.foreign)
  const condition = conditionOf(below)
  // Each use writes the whole condition into the statement.
  for (const _ of testsIn(condition)) level.context.count(below.path)
  return { field, condition }
}

/** Matches the text as a part of any readable string or text field, ignoring case. */
function searchPredicate(text: string | undefined, collection: Collection, path: Path): Predicate {
  if (text === undefined) return always
  const tests = [...collection.fields.values()].filter(isSearched).map(
    (field): Predicate => ({
      kind: 'test',
      subject: { kind: 'field', field, type: field.value },
      operator: '_icontains',
      operand: { kind: 'text', text },
      path,
    }),
  )
  return tests.length === 0 ? never : decided(anyOf(tests))
}

const isSearched = (field: Field): field is Extract<Field, { kind: 'scalar' }> =>
  field.kind === 'scalar' &&
  field.isSearchable &&
  !field.isConcealed &&
  !field.value.isArray &&
  field.value.family === 'text'
