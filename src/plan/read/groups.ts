// Aggregates and groups: rows that are not items.
import { type EngineError, fault, isEngineError, type Path, quote } from '../../errors/errors.ts'
import { nearest } from '../../errors/suggest.ts'
import { type AggregateName, isAggregate } from '../../vocabulary/aggregates.ts'
import { stepsOf, valueNamed } from '../field-path.ts'
import { withoutGroups } from '../filter/function-call.ts'
import type { ComparedValue } from '../filter/predicate.ts'
import { aggregatedField } from './aggregated-field.ts'
import { havingOf } from './having.ts'
import { namingOf } from './level-condition.ts'
import { type Level, parameterPath } from './query-level.ts'
import type { AggregateColumn, Group, GroupRows, OrderKey } from './read-plan.ts'
import { resultName } from './result-name.ts'

export function groupsOf(level: Level): GroupRows | undefined {
  const { query } = level
  if (query.having && !query.groupBy) refuseHaving(level)
  if (!query.aggregate && !query.groupBy) return undefined
  const groups = kept(level, differing(query.groupBy ?? []).map(groupNamed(level)))
  const columns = Object.entries(query.aggregate ?? {}).flatMap(([name, fields]) =>
    isAggregate(name) ? fields.map((field) => aggregateOf(level, name, field, fields.length === 1)) : [],
  )
  const shown = kept(level, columns)
  const rows: GroupRows = { kind: 'groups', groups, aggregates: shown, having: havingOf(level, shown) }
  refuseClashes(level, rows)
  return rows
}

function refuseHaving(level: Level): void {
  const message = '"having" chooses among groups, and without "groupBy" there are none.'
  const hint = 'Give "groupBy", or write conditions on items into "filter".'
  level.context.problems.add(parameterPath(level, 'having'), message, hint)
}

/** Removes duplicates: the same function may be written around a path or at its end. */
function differing(names: readonly string[]): readonly string[] {
  return [...new Map(names.map((name) => [JSON.stringify(stepsOf(name)), name])).values()]
}

function kept<Found>({ context }: Level, found: readonly (Found | EngineError)[]): Found[] {
  return found.filter((one): one is Found => {
    if (isEngineError(one)) context.problems.report(one)
    return !isEngineError(one)
  })
}

const groupNamed =
  (level: Level) =>
  (name: string): Group | EngineError => {
    const path = parameterPath(level, 'groupBy')
    const { alias } = level.query
    const matching = alias && Object.hasOwn(alias, name) ? alias[name] : undefined
    const value = valueNamed(level.collection, matching ?? name, path, namingOf(level))
    if (isEngineError(value)) return value
    if (value.route.some(({ kind }) => kind !== 'one'))
      return fault('INVALID_QUERY', `${quote(name)} has many values for one item, so it makes no groups.`, {
        path,
      })
    const mistake = withoutGroups(value.subject)
    if (mistake)
      return fault('INVALID_QUERY', `${quote(name)} ${mistake}, by which nothing can be grouped.`, {
        path,
        hint: partsHint(name, value.subject),
      })
    if (matching !== undefined) return { names: [name], value }
    const steps = stepsOf(name)
    return { names: [...steps.slice(0, -1), resultName(steps.at(-1) ?? '')], value }
  }

/** Names the fields that hold a value of several parts. */
function partsHint(name: string, subject: ComparedValue): string | undefined {
  if (subject.kind !== 'tuple') return undefined
  const names = subject.field.parts.map((part) => [...stepsOf(name).slice(0, -1), part.name].join('.'))
  return `Group by ${names.map(quote).join(', ')}.`
}

function aggregateOf(
  level: Level,
  name: AggregateName,
  field: string,
  isAlone: boolean,
): AggregateColumn | EngineError {
  const path = [...parameterPath(level, 'aggregate'), name]
  if (field === '*') return { name, subject: undefined, names: isAlone ? [name] : [name, '*'], path }
  const subject = aggregatedField(
    { collection: level.collection, naming: namingOf(level) },
    name,
    field,
    path,
  )
  return isEngineError(subject) ? subject : { name, subject, names: [name, resultName(field)], path }
}

/** Refuses two columns with one name, or one inside another. */
function refuseClashes(level: Level, { groups, aggregates: columns }: GroupRows): void {
  const taken = new Map<string, string>()
  for (const { names } of [...groups, ...columns]) {
    names.forEach((_, index) => {
      const at = JSON.stringify(names.slice(0, index + 1))
      const use = index === names.length - 1 ? 'value' : 'object'
      const known = taken.get(at)
      if (known !== undefined && (known === 'value' || use === 'value'))
        level.context.problems.add(
          parameterPath(level, 'groupBy'),
          `Two columns of a group would both be called ${quote(names.join('.'))}.`,
          `Give one a name by "alias" and group by that: alias[other]=${names.join('.')}&groupBy=other.`,
        )
      taken.set(at, use)
    })
  }
}

export function groupOrder(level: Level, rows: GroupRows): readonly OrderKey[] {
  const path = parameterPath(level, 'sort')
  const requested = (level.query.sort ?? []).flatMap((text) => {
    const isDescending = text.startsWith('-')
    const names = columnNamed(isDescending ? text.slice(1) : text, rows)
    if (!names) level.context.problems.report(noColumn(text, rows, path))
    return names ? [{ kind: 'column', names, isDescending } as const] : []
  })
  const named = (column: readonly string[]) => requested.some(({ names }) => names === column)
  const isDescending = requested.at(-1)?.isDescending ?? false
  const rest = rows.groups.map(({ names }) => names).filter((names) => !named(names))
  return [...requested, ...rest.map((names) => ({ kind: 'column', names, isDescending }) as const)]
}

/** Finds a column by name: `count`, `sum.views`, `author.country`, `year(published_at)` or `published_at_year`. */
function columnNamed(
  text: string,
  { groups, aggregates: columns }: GroupRows,
): readonly string[] | undefined {
  const steps = stepsOf(text)
  const wanted = JSON.stringify([...steps.slice(0, -1), resultName(steps.at(-1) ?? '')])
  const star = JSON.stringify([...steps, '*'])
  return [...groups, ...columns]
    .map(({ names }) => names)
    .find((names) => [wanted, star].includes(JSON.stringify(names)))
}

function noColumn(text: string, { groups, aggregates: columns }: GroupRows, path: Path): EngineError {
  const legal = [...groups, ...columns].map(({ names }) => names.join('.'))
  const [sign, name] = text.startsWith('-') ? ['-', text.slice(1)] : ['', text]
  const [, word, field] = /^(\w+)\((.*)\)$/s.exec(name) ?? []
  const column = `${word}.${field?.trim()}`
  const near = nearest(name, legal)
  const hint = legal.includes(column) ? `Write "${sign}${column}".` : near && `Did you mean "${sign}${near}"?`
  return fault('INVALID_QUERY', `Groups cannot be sorted by ${quote(text)}; there are ${legal.join(', ')}.`, {
    path,
    hint,
  })
}
