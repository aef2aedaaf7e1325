// The selected fields of a level's items, before relations are followed: names in order of first mention, each
// with the fields requested below it.
import { fault, isEngineError, type Path, quote } from '../../errors/errors.ts'
import { readCall } from '../../query/call.ts'
import type { Field } from '../../schema/model.ts'
import { isToMany } from '../../schema/model.ts'
import { nameIn } from '../field-path.ts'
import { callSubject, typeName } from '../filter/function-call.ts'
import type { ComparedValue } from '../filter/predicate.ts'
import { fieldNamed, noField } from '../resolve-name.ts'
import { namingOf } from './level-condition.ts'
import { isGrouped, type Level, levelBelow, parameterPath } from './query-level.ts'
import { resultName } from './result-name.ts'

/** A requested path of fields, from one level down: `['author', 'name']`. */
export interface RequestedFields {
  readonly steps: readonly string[]
  /** The place of the name in the request. */
  readonly path: Path
  /** True behind a wildcard, where a name need not exist in every relation. */
  readonly isWild: boolean
  /** Behind a many-to-any reference: the collection whose items have these fields. */
  readonly scope?: string
}

export interface SelectedFields {
  readonly name: string
  readonly target: Field | ComparedValue
  readonly path: Path
  /** The requested fields of related items; empty = only their keys. */
  readonly below: readonly RequestedFields[]
  /** For a many-to-any reference: the collections that were named, with or without fields of their items. */
  readonly scopes: readonly string[]
}

/** Reads the requested names of a level. Problems are reported. */
export function selectionOf(level: Level, requested: readonly RequestedFields[]): readonly SelectedFields[] {
  const selection = new FieldSelection(level)
  for (const one of requested) {
    if (level.context.problems.isFull) break
    selection.add(one)
  }
  return selection.all
}

export const isField = (target: Field | ComparedValue): target is Field => 'collection' in target

class FieldSelection {
  readonly #level: Level
  readonly #found = new Map<string, SelectedFields>()

  constructor(level: Level) {
    this.#level = level
  }

  get all(): readonly SelectedFields[] {
    return [...this.#found.values()]
  }

  add(requested: RequestedFields): void {
    const [head = '', ...rest] = requested.steps
    if (head === '*') this.#addAll({ steps: rest, path: requested.path, isWild: requested.isWild })
    else if (typeof readCall(head) === 'object') this.#addCall(head, requested)
    else this.#addNamed(head, { steps: rest, path: requested.path, isWild: requested.isWild })
  }

  /** Adds the fields that a star stands for, and every alias. Names after a star are requested of the related items. */
  #addAll(rest: RequestedFields): void {
    const { collection, query } = this.#level
    const wild = { ...rest, isWild: true }
    const { alias = {} } = query
    const isFound = [...collection.fields.values()]
      .filter((field) => !Object.hasOwn(alias, field.name) && !(this.#isColumnsOnly && isToMany(field)))
      .map((field) => this.#addWild(field.name, field, wild))
    for (const [name, target] of Object.entries(alias)) {
      const matching = this.#aliased(name, target)
      if (matching) isFound.push(this.#addWild(name, matching, wild))
    }
    const [name] = rest.steps
    if (name !== undefined && name !== '*' && !isFound.includes(true) && !rest.isWild)
      this.#refuse(noField(collection, `*.${name}`, rest.path))
  }

  /** Returns true if the rest after the star leads anywhere from here. */
  #addWild(name: string, target: Field | ComparedValue, rest: RequestedFields): boolean {
    const leads = rest.steps.length > 0 && isField(target) && this.#leadsOn(target, rest.steps[0] ?? '')
    if (leads || !this.#isWithoutKeys(name, target))
      this.#put(name, target, leads ? rest : { ...rest, steps: [] })
    return leads
  }

  /** True for a list of items that nothing identifies, so that no keys can stand for them. */
  #isWithoutKeys(name: string, target: Field | ComparedValue): boolean {
    if (!isField(target) || !isToMany(target) || target.target.key) return false
    return !isGrouped(levelBelow(this.#level, name, target.target, undefined).query)
  }

  get #isColumnsOnly(): boolean {
    return this.#level.context.schema.defaultFields === 'columns'
  }

  #leadsOn(field: Field, next: string): boolean {
    if (field.kind === 'scalar' || this.#leadsBack(field)) return false
    if (this.#isColumnsOnly && field.kind !== 'm2o') return false
    if (next === '*') return true
    const word = readCall(next)
    const name = typeof word === 'object' ? (word.field.split('.')[0] ?? '') : (next.split(':')[0] ?? '')
    if (field.kind === 'any') return [...field.targets.values()].every(({ fields }) => fields.has(name))
    return field.target.fields.has(name)
  }

  #leadsBack(field: Field): boolean {
    const { backlink, reachedBy } = this.#level
    if (backlink || !reachedBy) return false
    return field === reachedBy || (isToMany(field) && field.foreign === reachedBy)
  }

  #addCall(text: string, { path }: RequestedFields): void {
    const subject = callSubject(this.#level.collection, text, path, namingOf(this.#level))
    if (isEngineError(subject)) this.#refuse(subject)
    else this.#put(resultName(text), subject, { steps: [], path, isWild: false })
  }

  #addNamed(head: string, rest: RequestedFields): void {
    const { collection, query } = this.#level
    const [name = '', scope] = head.split(':')
    const alias = query.alias && Object.hasOwn(query.alias, name) ? query.alias[name] : undefined
    const target = alias === undefined ? this.#own(name, rest) : this.#aliased(name, alias)
    if (!target) return
    if (scope !== undefined) {
      const known = isField(target) && target.kind === 'any' && target.targets.has(scope)
      if (known) this.#put(name, target, { ...rest, scope })
      else if (!rest.isWild) this.#refuse(noField(collection, head, rest.path))
    } else if (rest.steps.length > 0 && (!isField(target) || target.kind === 'scalar')) {
      this.#refuse(nothingBelow(name, target, rest))
    } else this.#put(name, target, rest)
  }

  #own(name: string, { path, isWild }: RequestedFields): Field | undefined {
    const field = fieldNamed(this.#level.collection, name, path)
    if (!isEngineError(field)) return field
    if (!isWild) this.#refuse(field)
    return undefined
  }

  #aliased(name: string, text: string): Field | ComparedValue | undefined {
    const path = [...parameterPath(this.#level, 'alias'), name]
    const { collection } = this.#level
    const target =
      typeof readCall(text) === 'object'
        ? callSubject(collection, text, path, namingOf(this.#level))
        : fieldNamed(collection, text, path)
    if (!isEngineError(target)) return target
    this.#refuse(target)
    return undefined
  }

  #put(name: string, target: Field | ComparedValue, rest: RequestedFields): void {
    const known = this.#found.get(name)
    const below = rest.steps.length > 0 ? [rest] : []
    if (known && !isSame(known.target, target)) {
      this.#level.context.problems.add(rest.path, `Two fields would both be called ${quote(name)}.`)
      return
    }
    this.#found.set(name, {
      name,
      target,
      path: known?.path ?? rest.path,
      below: [...(known?.below ?? []), ...below],
      scopes: [...(known?.scopes ?? []), ...(rest.scope === undefined ? [] : [rest.scope])],
    })
  }

  #refuse(problem: Parameters<Level['context']['problems']['report']>[0]): void {
    this.#level.context.problems.report(problem)
  }
}

/** True for equal targets: the same function of the same field may be requested twice. */
function isSame(one: Field | ComparedValue, other: Field | ComparedValue): boolean {
  if (one === other) return true
  if (isField(one) || isField(other)) return false
  return JSON.stringify(identity(one)) === JSON.stringify(identity(other))
}

const identity = (subject: ComparedValue) => [
  subject.kind,
  subject.kind === 'related' ? subject.shownAs : nameIn(subject),
  subject.kind === 'part' ? subject.part : subject.kind === 'json' ? subject.path : undefined,
]

function nothingBelow(name: string, target: Field | ComparedValue, { steps, path }: RequestedFields) {
  const what = isField(target) ? ` (${typeName(target)})` : ''
  const below = quote(steps.join('.'))
  return fault('FORBIDDEN', `"${name}"${what} holds no fields, so there is no ${below} below it.`, { path })
}
