// Runs hooks for children that are moved to another item, removed from one, or deleted by that: one event for all with the same change.

import { heldIn, keyIdentity, shownKeyOf } from '../../plan/key.ts'
import { readPayload } from '../../plan/write/payload.ts'
import type { ItemWrite, RemovedChild } from '../../plan/write/write-plan.ts'
import { keyFieldsOf, type ManyToOne, referentOf } from '../../schema/model.ts'
import { withoutNames } from '../authorize/writable-fields.ts'
import { groupBy } from '../context/group-by.ts'
import { changeOf, runBeforeHooks, type WriteContext } from '../context/write-context.ts'
import { announceAlike, announceDeleted } from '../stored/announce.ts'
import { keysIn } from '../stored/rows-by-key.ts'

type MovePayload = Readonly<Record<string, unknown>>

/** Payloads that hooks have returned for moves. */
export type Answered = Map<string, MovePayload | undefined>

/** A change of a child's parent and of nothing else. */
interface Move {
  readonly item: ItemWrite
  readonly foreign: ManyToOne
}

/** True if hooks have to run before children of some items are moved. */
export function runsOnMoves(items: readonly ItemWrite[], { engine: { hooks } }: WriteContext): boolean {
  const targets = new Set(items.flatMap(({ children }) => children.map(({ relation }) => relation.target)))
  return [...targets].some(({ name }) =>
    (['items.update', 'items.delete'] as const).some((event) => hooks.of('before', event, name).length > 0),
  )
}

/** Runs the hooks for moves for which they have not run yet. */
export async function askOfMoves(
  items: readonly ItemWrite[],
  { removedChildren, unlinked }: Pick<WriteContext, 'removedChildren' | 'unlinked'>,
  answered: Answered,
  writing: WriteContext,
): Promise<void> {
  const deleted = removedChildren.filter((one) => one.isDeleted && !answered.has(nameOfRemoved(one)))
  for (const [target, group] of groupBy(deleted, ({ relation }) => relation.target)) {
    const keys = group.map(({ key }) => key)
    await runBeforeHooks(writing, changeOf(writing, 'items.delete', { collection: target, keys }))
    for (const one of group) answered.set(nameOfRemoved(one), undefined)
  }
  const moves = movesOf(items, unlinked).filter((move) => !answered.has(nameOf(move)))
  for (const [, group] of groupBy(moves, textOf)) {
    const [first] = group
    if (!first) continue
    const payload = payloadOf(first)
    const keys = keysIn(group.map(({ item }) => item))
    const answer = await runBeforeHooks(
      writing,
      changeOf(writing, 'items.update', { collection: first.item.collection, keys, payload }),
    )
    for (const move of group) answered.set(nameOf(move), answer === payload ? undefined : answer)
  }
}

/** Applies the payloads that hooks have returned to the moves. The parent of a child remains that of its item. */
export function applyHookResults(
  items: readonly ItemWrite[],
  unlinked: ReadonlyMap<RemovedChild, ItemWrite>,
  answered: Answered,
  { problems }: WriteContext,
): void {
  for (const move of movesOf(items, unlinked)) {
    const answer = answered.get(nameOf(move))
    if (!answer) continue
    const { item, foreign } = move
    const { collection, path } = item
    const payload = withoutNames(answer, new Set([foreign.name]))
    const place = { collection, path, problems, isKeyed: true, mayIncrement: true }
    const { values, increments } = readPayload(payload, place)
    for (const [field, value] of values) item.values.set(field, value)
    for (const [field, by] of increments) item.increments.set(field, by)
    item.payload = { ...payload, ...payloadOf(move) }
  }
}

/** Queues the events of moves that have happened. */
export async function tellOfMoves(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const { removedChildren, unlinked } = writing
  const deleted = removedChildren.filter(({ isDeleted }) => isDeleted)
  for (const [target, group] of groupBy(deleted, ({ relation }) => relation.target)) {
    await announceDeleted(
      target,
      group.map(({ key }) => key),
      writing,
    )
  }
  for (const [, group] of groupBy(movesOf(items, unlinked), textOf)) {
    const [first] = group
    const keys = keysIn(group.map(({ item }) => item))
    if (first) await announceAlike(first.item.collection, keys, payloadOf(first), writing)
  }
}

function movesOf(
  items: readonly ItemWrite[],
  unlinked: ReadonlyMap<RemovedChild, ItemWrite>,
): readonly Move[] {
  return [...items, ...unlinked.values()].flatMap((item) =>
    item.isLink && item.isAttached && item.owner ? [{ item, foreign: item.owner }] : [],
  )
}

/** Returns the payload of a move: the parent of the child. A new item has no key before it is stored. */
function payloadOf({ item: { payload, values, key, collection }, foreign }: Move): MovePayload {
  const own = withoutNames(payload, new Set(keyFieldsOf(collection).map(({ name }) => name)))
  const owner = heldIn(values, foreign)
  if (owner === undefined || key === undefined) return own
  return { ...own, [foreign.name]: owner === null ? null : shownKeyOf(referentOf(foreign), owner) }
}

const nameOf = ({ item: { collection, key }, foreign }: Move): string =>
  `${collection.name}\n${foreign.name}\n${key === undefined ? '' : keyIdentity(key)}`

const nameOfRemoved = ({ relation: { target }, key }: RemovedChild): string =>
  `${target.name}\n\n${keyIdentity(key)}`

const textOf = (move: Move): string =>
  `${move.item.collection.name}\n${move.foreign.name}\n${JSON.stringify(payloadOf(move), asText)}`

const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)
