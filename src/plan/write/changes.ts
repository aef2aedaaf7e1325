// Changes of a to-many relation in a payload: the complete new set of items, or a list of changes.

import { fault, type Path, quote } from '../../errors/errors.ts'
import type { Problems } from '../../errors/problems.ts'
import { suggestion } from '../../errors/suggest.ts'
import type { ToMany } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { type Key, readKey } from '../key.ts'

export interface Changes {
  /** True for a complete set: rows that are not among the children afterwards are removed from the relation. */
  readonly isComplete: boolean
  readonly children: readonly Child[]
  readonly removed: readonly { readonly key: Key; readonly path: Path }[]
}

/** A child: the key of an existing item, or the fields of one. */
export type Child =
  | { readonly kind: 'link'; readonly key: Key; readonly path: Path }
  | { readonly kind: 'item'; readonly payload: ItemData; readonly action: ChildAction; readonly path: Path }

/** The action on a child. `either`: an existing item is updated, another one created. */
export type ChildAction = 'create' | 'update' | 'either'

/** The path of changes whose problems are not reported: its steps are not noted. */
export const nowhere: Path = []

const below = (path: Path, step: string | number): Path => (path === nowhere ? path : [...path, step])

/** Reads the changes; undefined, with a problem reported, if the value is neither. */
export function readChanges(
  input: unknown,
  relation: ToMany,
  path: Path,
  problems: Problems,
): Changes | undefined {
  if (input === null) return { isComplete: true, children: [], removed: [] }
  if (Array.isArray(input)) {
    // A hole in a list is no item, and must not be skipped.
    const children = [...input].map((one, index) => childOf(one, relation, below(path, index), problems))
    return { isComplete: true, children: children.filter((child) => child !== undefined), removed: [] }
  }
  if (isRecord(input)) return readDetails(input, relation, path, problems)
  problems.report(wrong(relation, input, path))
  return undefined
}

const wrong = (relation: ToMany, input: unknown, path: Path) =>
  fault(
    'INVALID_PAYLOAD',
    `"${relation.name}" takes a list, or { create, update, delete }, not ${quote(input)}.`,
    { path },
  )

function childOf(input: unknown, relation: ToMany, path: Path, problems: Problems): Child | undefined {
  if (isRecord(input)) return { kind: 'item', payload: input, action: 'either', path }
  const key = linkedKey(input, relation, path, problems)
  return key === undefined ? undefined : { kind: 'link', key, path }
}

function linkedKey(
  input: unknown,
  { name, target }: ToMany,
  path: Path,
  problems: Problems,
): Key | undefined {
  const key = readKey(target, input)
  if (key !== undefined) return key
  problems.report(
    fault(
      'INVALID_PAYLOAD',
      `"${name}" takes items of "${target.name}" or their keys, not ${quote(input)}.`,
      {
        path,
      },
    ),
  )
  return undefined
}

const parts = ['create', 'update', 'delete'] as const

function readDetails(
  payload: ItemData,
  relation: ToMany,
  path: Path,
  problems: Problems,
): Changes | undefined {
  for (const name of Object.keys(payload))
    if (!isPart(name)) problems.reportMade(() => unknownPart(relation, name, path), [...path, name])
  const listed = (name: (typeof parts)[number]) => {
    const list = payload[name] ?? []
    if (Array.isArray(list))
      return [...list].map((one: unknown, index) => ({ one, at: below(below(path, name), index) }))
    problems.report(
      fault('INVALID_PAYLOAD', `"${name}" takes a list, not ${quote(list)}.`, { path: [...path, name] }),
    )
    return []
  }
  const itemsOf = (name: 'create' | 'update') =>
    listed(name).flatMap(({ one, at }): Child[] => {
      if (isRecord(one)) return [{ kind: 'item', payload: one, action: name, path: at }]
      problems.report(fault('INVALID_PAYLOAD', `"${name}" takes items, not ${quote(one)}.`, { path: at }))
      return []
    })
  const removed = listed('delete').flatMap(({ one, at }) => {
    const key = linkedKey(one, relation, at, problems)
    return key === undefined ? [] : [{ key, path: at }]
  })
  return { isComplete: false, children: [...itemsOf('create'), ...itemsOf('update')], removed }
}

const isPart = (name: string): boolean => parts.some((part) => part === name)

function unknownPart(relation: ToMany, name: string, path: Path) {
  const says = `"${relation.name}" takes { create, update, delete } and no ${quote(name)}; items stand in a list.`
  return fault('INVALID_PAYLOAD', says, {
    path: [...path, name],
    hint: suggestion(name, parts),
  })
}

/** The fields of an item as given by a caller. */
export type ItemData = Readonly<Record<string, unknown>>
