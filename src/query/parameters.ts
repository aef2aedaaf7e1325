// The parameters of a query: one reader each. A reader notes what is wrong and answers undefined for "not given".
import { type Path, quote } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { wrongName } from '../schema/names.ts'
import { isSound } from '../values/text.ts'
import { aggregates, isAggregate } from '../vocabulary/aggregates.ts'
import { readCall } from './call.ts'
import { readFilter } from './filter.ts'
import { readNames } from './names.ts'
import type { DeepQuery, FilterNode, Json, PlainQuery } from './query.ts'
import { isTooDeep, type Reader, readObject } from './reader.ts'

type Read<Value> = (value: unknown, path: Path, reader: Reader) => Value | undefined

/** The parameters of the root, in the order in which a query lists them. */
export const parameters: { readonly [Name in keyof Required<PlainQuery>]: Read<Required<PlainQuery>[Name]> } =
  {
    fields: readNames,
    filter: readGivenFilter,
    search: readSearch,
    sort: atMost('sorts', readNames),
    limit: wholeNumber(-1),
    offset: wholeNumber(0),
    page: wholeNumber(1),
    aggregate: readAggregate,
    groupBy: atMost('groups', readNames),
    deep: readDeep,
    alias: readAlias,
    export: oneOf(['csv', 'json', 'ndjson', 'xml', 'yaml']),
    meta: readMeta,
    backlink: readFlag,
    version: readWord,
    versionRaw: readFlag,
  }

export type ParameterName = keyof typeof parameters
export const isParameter = (word: string): word is ParameterName => Object.hasOwn(parameters, word)

/** What may not stand below the root, and why. */
const rootOnly: Partial<Record<ParameterName, string>> = {
  fields: 'fields of related items are named in "fields" of the root, with dots',
  deep: 'levels below are named directly',
  export: 'only the whole answer can be exported',
  version: 'only a single item has versions',
  versionRaw: 'only a single item has versions',
  meta: 'only the whole answer has a meta',
}

function readGivenFilter(value: unknown, path: Path, reader: Reader): FilterNode | undefined {
  if (value === '') return undefined
  const filter = readFilter(value, path, reader)
  return Object.keys(filter).length === 0 ? undefined : filter
}

function readSearch(value: unknown, path: Path, reader: Reader): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !isSound(text)) {
    reader.problems.add(path, `"search" takes text, not ${quote(value)}.`)
    return undefined
  }
  const most = reader.limits.textOperand
  if (Buffer.byteLength(text) > most)
    reader.problems.add(path, `"search" takes text of at most ${most} bytes.`)
  return text.trim() === '' ? undefined : text.trim()
}

function wholeNumber(least: number): Read<number> {
  return (value, path, reader) => {
    const number = typeof value === 'string' && /^-?(?:0|[1-9]\d{0,15})$/.test(value) ? Number(value) : value
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least) return number
    reader.problems.add(
      path,
      `"${path.at(-1)}" takes a whole number of ${least} or more, not ${quote(value)}.`,
    )
    return undefined
  }
}

function atMost(limit: 'sorts' | 'groups', read: Read<readonly string[]>): Read<readonly string[]> {
  return (value, path, reader) => {
    const names = read(value, path, reader)
    const most = reader.limits[limit]
    if (names && names.length > most)
      reader.problems.add(path, `"${path.at(-1)}" takes at most ${most} names.`)
    return names
  }
}

function oneOf(words: readonly string[]): Read<string> {
  return (value, path, reader) => {
    if (value === '') return undefined
    if (typeof value === 'string' && words.includes(value)) return value
    reader.problems.add(
      path,
      `"${path.at(-1)}" takes one of ${words.join(', ')}, not ${quote(value)}.`,
      suggestion(value, words),
    )
    return undefined
  }
}

const suggestion = (value: unknown, words: Iterable<string>) => {
  const near = typeof value === 'string' ? nearest(value, words) : undefined
  return near && `Did you mean "${near}"?`
}

function readFlag(value: unknown, path: Path, reader: Reader): boolean | undefined {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  reader.problems.add(path, `"${path.at(-1)}" takes true or false, not ${quote(value)}.`)
  return undefined
}

function readWord(value: unknown, path: Path, reader: Reader): string | undefined {
  if (value === '') return undefined
  if (typeof value === 'string' && isSound(value) && value.length <= 255) return value
  reader.problems.add(path, `"${path.at(-1)}" takes a short text, not ${quote(value)}.`)
  return undefined
}

const metaWords = ['*', 'total_count', 'filter_count', 'limit', 'offset', 'page', 'page_count', 'truncated']

function readMeta(value: unknown, path: Path, reader: Reader): readonly string[] | undefined {
  const words = readNames(value, path, reader)
  for (const word of words ?? []) {
    if (metaWords.includes(word)) continue
    reader.problems.add(
      path,
      `"meta" has no ${quote(word)}; there are ${metaWords.join(', ')}.`,
      suggestion(word, metaWords),
    )
  }
  return words
}

function readAggregate(
  value: unknown,
  path: Path,
  reader: Reader,
): Readonly<Record<string, readonly string[]>> | undefined {
  const object = readObject(value, path, reader, '"aggregate"')
  const read: Record<string, readonly string[]> = {}
  for (const [name, fields] of object?.entries ?? []) {
    const at = [...path, name]
    if (!isAggregate(name)) refuseAggregate(name, at, reader)
    else read[name] = readNames(fields, at, reader) ?? refuseEmpty(at, reader)
  }
  const asked = Object.values(read).flat().length
  if (asked > reader.limits.aggregates)
    reader.problems.add(path, `"aggregate" takes at most ${reader.limits.aggregates} fields.`)
  return Object.keys(read).length === 0 ? undefined : read
}

function refuseAggregate(name: string, path: Path, reader: Reader): void {
  const names = Object.keys(aggregates)
  if (name === 'countAll')
    reader.problems.add(path, '"countAll" belongs to GraphQL.', 'Write aggregate[count]=*')
  else
    reader.problems.add(
      path,
      `There is no aggregate ${quote(name)}; there are ${names.join(', ')}.`,
      suggestion(name, names),
    )
}

function refuseEmpty(path: Path, reader: Reader): readonly string[] {
  if (reader.problems.isEmpty)
    reader.problems.add(path, `"${path.join('.')}" names no field.`, 'Name fields, or * to count rows.')
  return []
}

function readAlias(value: unknown, path: Path, reader: Reader): Readonly<Record<string, string>> | undefined {
  const object = readObject(value, path, reader, '"alias"')
  const entries = object?.entries ?? []
  const most = reader.limits.aliases
  if (entries.length > most) reader.problems.add(path, `"alias" takes at most ${most} names.`)
  const read: Record<string, string> = {}
  for (const [name, target] of entries) {
    const mistake = aliasMistake(name, target)
    if (mistake) reader.problems.add([...path, name], mistake)
    else if (typeof target === 'string') read[name] = target.trim()
  }
  return Object.keys(read).length === 0 ? undefined : read
}

function aliasMistake(name: string, target: unknown): string | undefined {
  const wrong = wrongName(name)
  if (wrong) return `The alias ${quote(name)} ${wrong}.`
  if (typeof target !== 'string' || target.trim() === '' || !isSound(target))
    return `The alias ${quote(name)} stands for a field, not for ${quote(target)}.`
  const call = readCall(target.trim())
  if (typeof call === 'string')
    return `The alias ${quote(name)} stands for ${quote(target)}, which is not understood: ${call}.`
  const field = call ? call.field : target
  return field.includes('.')
    ? `The alias ${quote(name)} cannot stand for a path; ${quote(target)} holds a dot.`
    : undefined
}

function readDeep(value: unknown, path: Path, reader: Reader): DeepQuery | undefined {
  if (isTooDeep(value, reader.limits.nesting * 2)) {
    reader.problems.add(path, `"deep" nests deeper than ${reader.limits.nesting} levels.`)
    return undefined
  }
  return readLevel(value, path, reader, 0)
}

function readLevel(value: unknown, path: Path, reader: Reader, depth: number): DeepQuery | undefined {
  if (depth > reader.limits.relationDepth) {
    reader.problems.add(path, `"deep" follows more than ${reader.limits.relationDepth} relations.`)
    return undefined
  }
  const object = readObject(value, path, reader, depth === 0 ? '"deep"' : 'A level of "deep"')
  const level: Record<string, DeepQuery[string]> = {}
  for (const [key, inner, isText] of object?.entries ?? []) {
    const at = [...path, key]
    const below = { ...reader, isText }
    const read = key.startsWith('_')
      ? readLevelParameter(key, inner, at, below)
      : readRelation(key, inner, at, below, depth)
    if (read !== undefined) level[key] = read
  }
  if (level['_page'] !== undefined && level['_offset'] !== undefined)
    reader.problems.add(path, '"_page" and "_offset" exclude each other.')
  return Object.keys(level).length === 0 ? undefined : level
}

function readRelation(
  key: string,
  value: unknown,
  path: Path,
  reader: Reader,
  depth: number,
): DeepQuery | undefined {
  // Scopes of many-to-any relations are levels too: `item:block_hero`.
  const wrong = wrongName(key.replace(':', ''))
  if (!wrong) return readLevel(value, path, reader, depth + 1)
  const hint = isParameter(key) ? `Write "_${key}".` : undefined
  reader.problems.add(path, `There is no level ${quote(key)}: the name ${wrong}.`, hint)
  return undefined
}

function readLevelParameter(
  key: string,
  value: unknown,
  path: Path,
  reader: Reader,
): Json | FilterNode | undefined {
  const name = key.slice(1)
  if (!isParameter(name)) {
    const words = Object.keys(parameters).map((word) => `_${word}`)
    reader.problems.add(path, `There is no parameter ${quote(key)}.`, suggestion(key, words))
    return undefined
  }
  const reason = rootOnly[name]
  if (reason !== undefined) {
    reader.problems.add(path, `"${key}" cannot stand in "deep": ${reason}.`)
    return undefined
  }
  // Readers of filters answer nodes, all others plain JSON; both are what a level holds.
  return parameters[name](value, path, reader) as Json | FilterNode | undefined
}
