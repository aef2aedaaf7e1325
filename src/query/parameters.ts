// The parameters of a query: one reader each. A reader reports problems and returns undefined for "not given".
import { type Path, quote } from '../errors/errors.ts'
import { suggestion, wordHint } from '../errors/suggest.ts'
import { wrongName } from '../schema/forbidden-names.ts'
import { isRecord } from '../values/guards.ts'
import { type AggregateName, aggregates, isAggregate } from '../vocabulary/aggregates.ts'
import { isRelatedAggregate } from '../vocabulary/functions.ts'
import { readCall } from './call.ts'
import { metaWords } from './meta.ts'
import type { DeepQuery, FilterNode, Json, PlainQuery } from './query.ts'
import { readFilter, readHaving } from './read-filter.ts'
import { readNames } from './read-names.ts'
import { excessOf, type QueryReader, readObject } from './reader.ts'
import { scopeMistake } from './scope.ts'
import {
  oneOf,
  type Read,
  readFlag,
  readLimit,
  readSearch,
  readText,
  readWord,
  wholeNumber,
} from './single-values.ts'
import { exportFormats } from './types.ts'

/** The parameters of the root, in the order in which a query lists them. */
export const parameters: {
  readonly [Name in keyof Required<PlainQuery>]: Read<Required<PlainQuery>[Name]>
} = {
  fields: atMost('expandedFields'),
  filter: unlessEmpty(readFilter),
  search: readSearch,
  sort: atMost('sorts'),
  limit: readLimit,
  offset: wholeNumber(0),
  page: wholeNumber(1),
  after: readText,
  before: readText,
  aggregate: readAggregate,
  groupBy: atMost('groups'),
  having: unlessEmpty(readHaving),
  deep: readDeep,
  alias: readAlias,
  export: oneOf(exportFormats),
  meta: readMeta,
  backlink: readFlag,
  version: readWord,
  versionRaw: readFlag,
}

export type ParameterName = keyof typeof parameters
export const isParameter = (word: string): word is ParameterName => Object.hasOwn(parameters, word)

/** Parameters that are not allowed below the root, and the reason. */
export const rootOnly: Partial<Record<ParameterName, string>> = {
  fields: 'fields of related items are named in "fields" of the root, with dots',
  deep: 'levels below are named directly',
  export: 'only the whole result can be exported',
  version: 'only a single item has versions',
  versionRaw: 'only a single item has versions',
  meta: 'only the whole result has a meta',
}

function unlessEmpty(read: typeof readFilter): Read<FilterNode> {
  return (value, path, reader) => filled(read(value, path, reader))
}

const filled = <Names extends object>(read: Names): Names | undefined =>
  Object.keys(read).length === 0 ? undefined : read

function atMost(limit: 'expandedFields' | 'sorts' | 'groups'): Read<readonly string[]> {
  return (value, path, reader) => readNames(value, path, reader, reader.limits[limit])
}

function readMeta(value: unknown, path: Path, reader: QueryReader): readonly string[] | undefined {
  const words = readNames(value, path, reader)
  for (const word of words ?? []) {
    if (metaWords.includes(word)) continue
    const message = `"meta" has no ${quote(word)}; there are ${metaWords.join(', ')}.`
    reader.problems.add(path, message, () => suggestion(word, metaWords))
  }
  return words
}

function readDeep(value: unknown, path: Path, reader: QueryReader): DeepQuery | undefined {
  // The innermost level may have a filter.
  const excess = excessOf(value, reader.limits, reader.limits.nesting * 2)
  if (!excess) return readLevel(value, path, { ...reader, depth: 0 })
  reader.problems.add(path, `"deep" ${excess}.`)
  return undefined
}

/** Reads a level of "deep", which is so many relations below the root. */
interface LevelReader extends QueryReader {
  readonly depth: number
}

function readLevel(value: unknown, path: Path, reader: LevelReader): DeepQuery | undefined {
  const { problems, limits, depth } = reader
  if (depth > limits.relationDepth) {
    problems.add(path, `The query follows more than ${limits.relationDepth} relations.`)
    return undefined
  }
  const level: Record<string, DeepQuery[string]> = {}
  const what = depth === 0 ? '"deep"' : 'A level of "deep"'
  for (const [key, inner, isText] of readObject(value, path, reader, what) ?? []) {
    if (problems.isFull) break
    const at = [...path, key]
    const below = { ...reader, isText, depth: depth + 1 }
    const read = key.startsWith('_')
      ? readLevelParameter(key, inner, at, below)
      : readRelation(key, inner, at, below)
    if (read !== undefined) level[key] = read
  }
  const { _page: page, _offset: offset } = level
  if (page !== undefined && offset !== undefined)
    problems.add([...path, '_page'], '"_page" and "_offset" exclude each other.')
  return filled(level)
}

function readRelation(key: string, value: unknown, path: Path, reader: LevelReader): DeepQuery | undefined {
  const mistake = levelMistake(key)
  const { problems } = reader
  if (mistake) problems.add(path, `"deep" has no level ${quote(key)}: ${mistake}.`)
  // A relation may be called "limit" or "sort", but no level is a number or a list.
  else if (isParameter(key) && !isRecord(value) && !isJsonObject(value)) {
    problems.add(path, '"deep" takes its parameters with an underscore.', `Write "_${key}".`)
  } else return readLevel(value, path, reader)
  return undefined
}

const isJsonObject = (value: unknown) => typeof value === 'string' && value.trimStart().startsWith('{')

/** Checks the name of a level: a relation, an alias, or the scope of a many-to-any relation: `item:block_hero`. */
function levelMistake(key: string): string | undefined {
  const wrong = key.split(':').map(wrongName).find(Boolean)
  return scopeMistake(key) ?? (wrong && `the name ${wrong}`)
}

function readLevelParameter(
  key: string,
  value: unknown,
  path: Path,
  reader: QueryReader,
): Json | FilterNode | undefined {
  const name = key.slice(1)
  if (!isParameter(name)) {
    const legal = Object.keys(parameters).flatMap((one) => (one in rootOnly ? [] : `_${one}`))
    reader.problems.add(path, `There is no parameter ${quote(key)}.`, () => wordHint('parameter', key, legal))
    return undefined
  }
  const reason = rootOnly[name]
  if (reason) {
    reader.problems.add(path, `"${key}" cannot stand in "deep": ${reason}.`)
    return undefined
  }
  // Readers of filters return nodes, all others plain JSON; a level may have both.
  return parameters[name](value, path, reader) as Json | FilterNode | undefined
}

/** Reads `{ written: 'year(published_at)' }`: a new name, and the field or function that it means. */
function readAlias(
  value: unknown,
  path: Path,
  reader: QueryReader,
): Readonly<Record<string, string>> | undefined {
  const { problems, limits } = reader
  const entries = readObject(value, path, reader, '"alias"') ?? []
  if (entries.length > limits.aliases) {
    problems.add(path, `"alias" takes at most ${limits.aliases} names.`)
    return undefined
  }
  const read: Record<string, string> = {}
  for (const [name, target] of entries) {
    const text = typeof target === 'string' ? target.trim() : ''
    const mistake =
      wrongName(name) ?? (text === '' ? `stands for a field, not for ${quote(target)}` : targetMistake(text))
    if (mistake) problems.add([...path, name], `The alias ${quote(name)} ${mistake}.`)
    else read[name] = text
  }
  return filled(read)
}

function targetMistake(target: string): string | undefined {
  const call = readCall(target)
  if (typeof call === 'string') return `stands for ${quote(target)}, which is not understood: ${call}`
  const [field = '', ...below] = (call ? call.field : target).split('.')
  if (below.length > (call && isRelatedAggregate(call.name) ? 1 : 0))
    return `stands for a field of its own collection; ${quote(target)} is a path`
  const wrong = wrongName(field)
  return wrong && `stands for a field; ${quote(target)} cannot be one, because its name ${wrong}`
}

type Aggregate = Readonly<Record<string, readonly string[]>>

/** Reads `{ count: '*', sum: ['views'] }`. */
function readAggregate(value: unknown, path: Path, reader: QueryReader): Aggregate | undefined {
  const { problems, limits } = reader
  const read: Record<string, readonly string[]> = {}
  for (const [name, fields, isText] of readObject(value, path, reader, '"aggregate"') ?? []) {
    if (problems.isFull) break
    const at = [...path, name]
    if (isAggregate(name)) read[name] = readFields(name, fields, at, { ...reader, isText })
    else refuse(name, at, reader)
  }
  if (Object.values(read).flat().length > limits.aggregates)
    problems.add(path, `"aggregate" takes at most ${limits.aggregates} fields.`)
  return filled(read)
}

function readFields(name: AggregateName, value: unknown, path: Path, reader: QueryReader): readonly string[] {
  const problemsBefore = reader.problems.all.length
  const fields = readNames(value, path, reader, reader.limits.aggregates)
  const takesStar = 'takesStar' in aggregates[name]
  if (!fields && reader.problems.all.length === problemsBefore) {
    const hint = takesStar ? 'Name fields, or * to count rows.' : undefined
    reader.problems.add(path, `"${name}" names no field.`, hint)
  }
  if (fields?.includes('*') && !takesStar) {
    reader.problems.add(path, `"${name}" takes fields, not "*".`)
  }
  return fields ?? []
}

function refuse(name: string, path: Path, { problems }: QueryReader): void {
  if (name === 'countAll') {
    problems.add(path, '"countAll" belongs to GraphQL.', 'Write aggregate[count]=*')
    return
  }
  const names = Object.keys(aggregates)
  const message = `There is no aggregate ${quote(name)}; there are ${names.join(', ')}.`
  problems.add(path, message, () => wordHint('aggregate', name, names))
}
