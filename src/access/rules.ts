// Reads the rules of a caller. The host wrote them, so mistakes are reported to the host at once, and never to the caller.

import { type Path, quote } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { suggestion, wordHint } from '../errors/suggest.ts'
import { asNode } from '../plan/filter/filter-node.ts'
import { resolveFilter } from '../plan/filter/resolve-filter.ts'
import { reportTexts } from '../plan/filter/rule-texts.ts'
import { isIncrement } from '../plan/write/increment.ts'
import { readStored } from '../plan/write/stored-value.ts'
import { defaultLimits } from '../query/limits.ts'
import type { FilterNode } from '../query/query.ts'
import { readFilter } from '../query/read-filter.ts'
import { newReader } from '../query/reader.ts'
import { type Collection, isToMany, type OwnField, type Schema } from '../schema/model.ts'
import { Cache } from '../values/cache.ts'
import { isRecord } from '../values/guards.ts'
import { memoFor } from '../values/memo.ts'
import { hasVariable, nobody, readVariable, variableMistake } from '../vocabulary/variables.ts'
import { type Action, actions } from './access.ts'
import { textOfRules } from './rules-text.ts'

/** A rule after it was read. */
export interface RuleRead {
  /** Names of the fields that the rule allows. */
  readonly fields: ReadonlySet<string>
  /** Filter of the items. Undefined: all items. */
  readonly filter: FilterNode | undefined
  readonly validation: FilterNode | undefined
  readonly presets: Readonly<Record<string, unknown>>
  /** Path of the rule within the rules. */
  readonly path: Path
}

/** Rules by collection and action; any of them may allow an item. An action that is missing is not allowed. */
export type RuleGrants = ReadonlyMap<Collection, CollectionGrants>

type CollectionGrants = Readonly<Partial<Record<Action, readonly RuleRead[]>>>

/** Rules of collections of a schema that were read without a mistake, by their texts. */
export type KnownGrants = WeakMap<Collection, Cache<CollectionGrants>>

interface RuleContext {
  readonly known?: KnownGrants
  /** Names of collections that other engines have: rules for them mean nothing here. */
  readonly foreign?: readonly string[] | undefined
}

/** Reads rules. `others`: the engine's own collections, which the schema need not describe. */
export function readRules(
  input: unknown,
  schema: Schema,
  others: readonly Collection[],
  { known = new WeakMap(), foreign }: RuleContext = {},
): RuleGrants {
  const problems = new Problems('INVALID_OPTIONS')
  const collections = new Map([...others.map((one) => [one.name, one] as const), ...schema.collections])
  const grants = new Map<Collection, CollectionGrants>()
  for (const [name, byAction] of entriesOf(input, ['rules'], problems)) {
    const path = ['rules', name]
    const collection = collections.get(name)
    if (collection) grants.set(collection, readOnce(byAction, path, { schema, collection, problems }, known))
    else if (!foreign?.includes(name))
      problems.add(path, `There is no collection ${quote(name)}.`, suggestion(name, collections.keys()))
  }
  problems.throwIfAny()
  return grants
}

/** Maximum number of texts per collection. */
const grantsKept = 50

/** Reads the rules of a collection, unless equal ones were read before. */
function readOnce(input: unknown, path: Path, reading: RuleReading, known: KnownGrants): CollectionGrants {
  const text = textOfRules(input)
  const ofCollection = memoFor(known, reading.collection, () => new Cache(grantsKept))
  const found = text === undefined ? undefined : ofCollection.get(text)
  if (found) return found
  const own = new Problems('INVALID_OPTIONS')
  const read = readActions(input, path, { ...reading, problems: own })
  if (own.isEmpty && text !== undefined) ofCollection.set(text, read)
  for (const problem of own.all) reading.problems.report(problem)
  return read
}

interface RuleReading {
  readonly schema: Schema
  readonly collection: Collection
  readonly problems: Problems
}

function entriesOf(input: unknown, path: Path, problems: Problems): [string, unknown][] {
  if (input === undefined) return []
  if (isRecord(input)) return Object.entries(input).filter(([, value]) => value !== undefined)
  problems.add(path, `Rules are objects, not ${quote(input)}.`)
  return []
}

function readActions(
  input: unknown,
  path: Path,
  reading: RuleReading,
): Partial<Record<Action, readonly RuleRead[]>> {
  const read: Partial<Record<Action, readonly RuleRead[]>> = {}
  for (const [name, grant] of entriesOf(input, path, reading.problems)) {
    const action = actions.find((one) => one === name)
    if (action) read[action] = readGrant(grant, [...path, name], reading)
    else
      reading.problems.add(
        [...path, name],
        `There is no action ${quote(name)}; there are ${actions.join(', ')}.`,
        wordHint('action', name, actions),
      )
  }
  return read
}

function readGrant(input: unknown, path: Path, reading: RuleReading): readonly RuleRead[] {
  if (input === false) return []
  if (input === true) return [readRule({}, path, reading)]
  if (!Array.isArray(input)) return refusalOf(input) === undefined ? [readRule(input, path, reading)] : []
  return input.flatMap((rule: unknown, index) =>
    refusalOf(rule) === undefined ? [readRule(rule, [...path, index], reading)] : [],
  )
}

/** Returns why a rule that was imported allows nothing; undefined for any other. */
export const refusalOf = (rule: unknown): string | undefined =>
  isRecord(rule) && typeof rule.refused === 'string' ? rule.refused : undefined

function readRule(input: unknown, path: Path, reading: RuleReading): RuleRead {
  const entries = entriesOf(input, path, reading.problems)
  for (const [name] of entries)
    if (!parts.has(name))
      reading.problems.add(
        [...path, name],
        `A rule has ${[...parts].join(', ')}, and no ${quote(name)}.`,
        wordHint('option', name, [...parts]),
      )
  const rule = Object.fromEntries(entries)
  return {
    fields: readFields(rule.fields, [...path, 'fields'], reading),
    filter: readCondition(rule.filter, [...path, 'filter'], 'query', reading),
    validation: readCondition(rule.validation, [...path, 'validation'], 'validation', reading),
    presets: readPresets(rule.presets, [...path, 'presets'], reading),
    path,
  }
}

const parts: ReadonlySet<string> = new Set(['fields', 'filter', 'validation', 'presets'])

function readFields(
  input: unknown,
  path: Path,
  { collection: { fields, name: of }, problems }: RuleReading,
): ReadonlySet<string> {
  if (input === undefined) return new Set(fields.keys())
  if (!Array.isArray(input)) {
    problems.add(path, `"fields" takes a list of names, not ${quote(input)}.`)
    return new Set()
  }
  for (const [index, name] of input.entries())
    if (name !== '*' && !fields.has(name))
      problems.add(
        [...path, index],
        `There is no field ${quote(name)} in "${of}".`,
        suggestion(String(name), fields.keys()),
      )
  return new Set(input.includes('*') ? fields.keys() : input.map(String))
}

function readCondition(
  input: unknown,
  path: Path,
  use: 'query' | 'validation',
  { schema, collection, problems }: RuleReading,
): FilterNode | undefined {
  if (input === undefined) return undefined
  const reader = newReader(defaultLimits, false)
  const node = readFilter(input, path, reader)
  const own = new Problems('INVALID_QUERY')
  // Invalid parts are left out of the node, so that it may look empty although the filter is not.
  if (reader.problems.isEmpty) {
    if (Object.keys(node).length > 0) refuseEmpties(node, path, own)
    // A list or a text is a mistake, not an empty filter.
    else if (!isRecord(input)) own.add(path, noCondition)
  }
  if (reader.problems.isEmpty) reportTexts(node, path, (...mistake) => own.add(...mistake))
  // The caller and the current time are not known yet; a variable without a value is no mistake.
  const circumstances = nobody
  if (reader.problems.isEmpty && own.isEmpty)
    resolveFilter(node, collection, path, { schema, circumstances, problems: own, use })
  for (const { message, path: at, hint } of [...reader.problems.all, ...own.all])
    problems.add(at ?? path, message, hint)
  return Object.keys(node).length === 0 ? undefined : node
}

/** Refuses empty parts of a filter: they would be true or false by accident. Only a filter that is empty as a whole is clear. */
function refuseEmpties(node: FilterNode, path: Path, problems: Problems): void {
  for (const [key, value] of Object.entries(node)) {
    const at = [...path, key]
    const isBranches = key === '_and' || key === '_or'
    if (isBranches && Array.isArray(value)) {
      if (value.length === 0) problems.add(at, `"${key}" of a rule needs at least one branch.`)
      for (const [index, branch] of value.entries()) refuseEmpty(branch, [...at, index], problems)
    } else if (!key.startsWith('_') || key === '_some' || key === '_none' || key === '_json')
      refuseEmpty(value, at, problems)
  }
}

const noCondition = 'This part of a rule holds no condition.'
function refuseEmpty(value: unknown, path: Path, problems: Problems): void {
  const node = asNode(value)
  if (Object.keys(node).length === 0) problems.add(path, noCondition)
  else refuseEmpties(node, path, problems)
}

function readPresets(
  input: unknown,
  path: Path,
  { collection: { fields, name: of }, problems }: RuleReading,
): Readonly<Record<string, unknown>> {
  const entries = entriesOf(input, path, problems)
  for (const [name, value] of entries) {
    const field = fields.get(name)
    const at = [...path, name]
    reportTexts(value, at, (...mistake) => problems.add(...mistake))
    if (!field)
      problems.add(at, `There is no field ${quote(name)} in "${of}".`, suggestion(name, fields.keys()))
    else if (!isToMany(field)) checkPreset(field, value, at, problems)
  }
  return Object.fromEntries(entries)
}

/** Checks a preset. The value of a variable is known only when an item is written. */
function checkPreset(field: OwnField, value: unknown, path: Path, problems: Problems): void {
  const variable = readVariable(value)
  const mistake = variable && variableMistake(variable)
  if (mistake !== undefined) problems.add(path, `${quote(value)} is not understood: ${mistake}.`)
  if (isIncrement(field, value))
    problems.add(path, `A preset is a value, and this one would change the stored value of "${field.name}".`)
  // The value of a reference to any collection depends on the collection that is named beside it.
  if (value === null || value === undefined || isRecord(value) || field.kind === 'any') return
  if (variable || hasVariable(value)) return
  const read = readStored(field, value)
  if (read.kind === 'mistake') problems.add(path, `"${field.name}" ${read.says}, not ${quote(value)}.`)
}
