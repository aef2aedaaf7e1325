// Loads rows with the changes of a version: read from the database if they exist there, and changed in memory. One statement reads all rows
// behind a step.

import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { fieldSubject } from '../../plan/field-path.ts'
import {
  allOf,
  type BoundRelation,
  type Children,
  decided,
  type Predicate,
} from '../../plan/filter/predicate.ts'
import { relationCondition } from '../../plan/filter/relation-condition.ts'
import {
  distinctKeys,
  heldOf,
  isSameKey,
  type Key,
  keyIdentity,
  keyToText,
  storedKey,
} from '../../plan/key.ts'
import { isOneOf, valueMember, wholeList } from '../../plan/read/by-key.ts'
import type { RelationStep } from '../../plan/read/read-plan.ts'
import { withinOf } from '../../plan/touches.ts'
import { fieldsTested } from '../../plan/walk.ts'
import { type Collection, isByValue, keyOf, type OwnField, partsOf } from '../../schema/model.ts'
import { exactly, type Storable } from '../../types/family-row.ts'
import { isSpelledFreely, visibleItems } from '../../writes/authorize/visible-keys.ts'
import { groupBy } from '../../writes/context/group-by.ts'
import { newWriteContext } from '../../writes/context/write-context.ts'
import { allHeld, referencedKeys } from '../../writes/stored/held-values.ts'
import { matchingKeys, rowsOf } from '../../writes/stored/select-keys.ts'
import { matchesRow, visibleRows } from './match-rows.ts'
import {
  backwards,
  heldByRow,
  keyMark,
  mark,
  newRow,
  type OverlayRow,
  patchedValues,
  pointer,
  rowKey,
} from './overlay-row.ts'
import type { RequiredData } from './required-data.ts'
import { type Identity, identityOf, type Patch, type PatchedRow } from './row-changes.ts'

export class OverlayReader {
  readonly #patch: Patch
  readonly #engine: EngineInternals
  readonly #options: Options

  constructor(patch: Patch, engine: EngineInternals, options: Options) {
    this.#patch = patch
    this.#engine = engine
    this.#options = options
  }

  async byKeys(
    collection: Collection,
    keys: readonly Key[],
    need: RequiredData,
  ): Promise<readonly OverlayRow[]> {
    const rows = await this.#read(collection, keys, need)
    await this.#follow(rows, need)
    return rows
  }

  async #read(
    collection: Collection,
    keys: readonly Key[],
    need: RequiredData,
  ): Promise<readonly OverlayRow[]> {
    return keys.length === 0 ? [] : this.#select(collection, isOneOf(collection, keys), need, [])
  }

  async #select(
    collection: Collection,
    condition: Predicate,
    need: RequiredData,
    also: readonly OwnField[],
  ): Promise<readonly OverlayRow[]> {
    const fields = [...new Set([...also, ...need.fields])]
    const own = fields.map((field) => valueMember(field.name, field))
    const direct = [...need.direct].map((member, index) => ({ ...member, name: `${mark}${index}` }))
    const members = [valueMember(keyMark, keyOf(collection)), ...own, ...direct]
    const reader = { engine: this.#engine, options: this.#options }
    const rows = await rowsOf(wholeList(collection, condition, members), reader)
    return rows.flatMap((row) => this.#patched(collection, need, Object(row)) ?? [])
  }

  #patched(
    collection: Collection,
    need: RequiredData,
    row: Readonly<Record<string, unknown>>,
  ): OverlayRow | undefined {
    const identity = identityOf(storedKey(collection, row[keyMark]))
    if (this.#patch.isRemoved(collection, identity)) return undefined
    const patched = this.#patch.find(collection, identity)
    const direct = new Map([...need.direct].map((member, index) => [member, row[`${mark}${index}`]]))
    const own = { ...row, ...(patched && patchedValues(patched)) }
    return { collection, identity, row: patched, own, direct, below: new Map() }
  }

  async #follow(rows: readonly OverlayRow[], { below }: RequiredData): Promise<void> {
    if (rows.length === 0) return
    for (const [name, { step, need }] of below) {
      const behind = await (step.kind === 'children'
        ? this.#childrenOf(rows, step.children, need)
        : this.#targetsOf(rows, step, need))
      for (const row of rows) row.below.set(name, behind(row))
    }
  }

  async #targetsOf(
    rows: readonly OverlayRow[],
    step: Exclude<RelationStep, { kind: 'children' }>,
    need: RequiredData,
  ): Promise<(row: OverlayRow) => readonly OverlayRow[]> {
    const target = step.kind === 'one' ? step.field.target : step.target
    const pointerOf = await this.#pointers(rows, step)
    const identities = new Map(rows.map((row) => [row, pointerOf(row)]))
    const found = new Map<Identity, OverlayRow>()
    const keys = new Map<Identity, Key>()
    const made: OverlayRow[] = []
    for (const at of identities.values()) {
      const row = at && this.#patch.find(target, at.identity)
      if (row?.isNew) made.push(newRow(row, need))
      else if (at?.key !== undefined) keys.set(at.identity, at.key)
    }
    for (const row of await this.#seen(made)) found.set(row.identity, row)
    for (const row of await this.#read(target, [...keys.values()], need)) found.set(row.identity, row)
    await this.#follow([...found.values()], need)
    const met = new Set(await this.#within(withinOf(step), [...found.values()]))
    const others = [...keys].flatMap(([identity, key]) => (found.has(identity) ? [] : [key]))
    const spelled = await this.#spelled(target, others)
    return (row) => {
      const { identity = '' } = identities.get(row) ?? {}
      const one = found.get(spelled.get(identity) ?? identity)
      return one && met.has(one) ? [one] : []
    }
  }

  /** Returns the values that identify the rows to which some rows refer. Other values than keys are looked up. */
  async #pointers(rows: readonly OverlayRow[], step: Exclude<RelationStep, { kind: 'children' }>) {
    if (step.kind !== 'one' || !isByValue(step.field)) return (row: OverlayRow) => pointer(row, step)
    const { field } = step
    const held = new Map(rows.map((row) => [row, heldByRow(row, field)]))
    const values = distinctKeys([...held.values()].filter((value) => value !== undefined))
    const keys = await referencedKeys(field, values, newWriteContext(this.#engine, this.#options))
    return (row: OverlayRow): Pick<PatchedRow, 'identity' | 'key'> | undefined => {
      const link = row.row?.links.get(field)
      if (link) return link.collection === field.target ? link : undefined
      const value = held.get(row)
      if (value === undefined) return undefined
      const key = keys.get(keyIdentity(value))
      if (key !== undefined) return { identity: identityOf(key), key }
      // The row has the value only with the changes.
      return this.#patch
        .of(field.target)
        .find((one) => isSameKey(heldOf(one.values, field) ?? undefined, value))
    }
  }

  /** Returns the identities of rows by those of keys that name them in another spelling. */
  async #spelled(collection: Collection, keys: readonly Key[]): Promise<ReadonlyMap<Identity, Identity>> {
    if (keys.length === 0 || !isSpelledFreely(collection)) return new Map()
    const stored = await visibleItems(collection, keys, newWriteContext(this.#engine, this.#options))
    return new Map(
      keys.map((key) => [identityOf(key), identityOf(stored.get(keyIdentity(key)) ?? key)] as const),
    )
  }

  #seen(made: readonly OverlayRow[]): Promise<readonly OverlayRow[]> {
    return visibleRows(made, newWriteContext(this.#engine, this.#options))
  }

  async #childrenOf(
    owners: readonly OverlayRow[],
    children: Children,
    need: RequiredData,
  ): Promise<(row: OverlayRow) => readonly OverlayRow[]> {
    const { target, foreign, within } = children
    const known = new Set(owners.map(({ identity }) => identity))
    const also = foreign.kind === 'any' ? [foreign, foreign.by] : [foreign, ...partsOf(foreign)]
    const keys = owners.flatMap((owner) =>
      owner.row?.isNew ? [] : [storedKey(owner.collection, rowKey(owner))],
    )
    const writing = newWriteContext(this.#engine, this.#options)
    const held = foreign.kind === 'm2o' ? await allHeld(foreign, keys, writing) : keys
    const rows = held.length === 0 ? [] : await this.#select(target, pointsTo(children, held), need, also)
    const isThere = new Set(rows.map(({ identity }) => identity))
    // Rows that are moved here, and new rows.
    const others = this.#patch
      .of(target)
      .filter(
        (row) =>
          !isThere.has(row.identity) &&
          (row.links.has(foreign) || also.some((field) => row.values.has(field))),
      )
    const elsewhere = others.flatMap(({ key, isNew }) => (isNew || key === undefined ? [] : [key]))
    const moved =
      elsewhere.length === 0 ? [] : await this.#select(target, isOneOf(target, elsewhere), need, also)
    const made = await this.#seen(others.filter(({ isNew }) => isNew).map((row) => newRow(row, need)))
    const candidates = [...rows, ...moved, ...made]
    const pointerOf = await this.#pointers(candidates, backwards(children))
    const strange = candidates.flatMap((row) => {
      const { identity = '', key } = pointerOf(row) ?? {}
      return key === undefined || known.has(identity) ? [] : [key]
    })
    const spelled = await this.#spelled(children.owner, strange)
    const ownerOf = (row: OverlayRow) => {
      const { identity = '' } = pointerOf(row) ?? {}
      return spelled.get(identity) ?? identity
    }
    const all = candidates.filter((row) => known.has(ownerOf(row)))
    await this.#follow(all, need)
    const isOfOwner = foreign.kind === 'any'
    const met = new Set(await this.#within(children.within, isOfOwner ? owners : all))
    const groups = groupBy(isOfOwner ? all : all.filter((row) => met.has(row)), ownerOf)
    const shownBy = within?.shownBy?.name
    const isHidden = ({ own }: OverlayRow) => shownBy !== undefined && (own[shownBy] ?? null) === null
    return (row) => ((isOfOwner && !met.has(row)) || isHidden(row) ? [] : (groups.get(row.identity) ?? []))
  }

  /** Returns rows that meet the condition of their relation: as the database judges them, and in memory with the changes. */
  async #within(
    within: BoundRelation | undefined,
    rows: readonly OverlayRow[],
  ): Promise<readonly OverlayRow[]> {
    if (!within || rows.length === 0) return rows
    const condition = relationCondition(within)
    const keys = rows.flatMap((row) => (row.row?.isNew ? [] : [storedKey(row.collection, rowKey(row))]))
    const reader = { engine: this.#engine.whole(), options: this.#options }
    const stored = keys.length === 0 ? new Set() : await matchingKeys(within.of, keys, condition, reader)
    const names = new Set(fieldsTested(condition).map(({ name }) => name))
    return rows.filter((row) => {
      const isStored = !row.row?.isNew && stored.has(keyIdentity(storedKey(row.collection, rowKey(row))))
      if (!row.row) return isStored
      const isChanged = row.row.isNew || [...row.row.values.keys()].some(({ name }) => names.has(name))
      return isChanged ? matchesRow(condition, row, this.#engine) : isStored
    })
  }
}

/** Returns the condition that rows of the database refer to one of some owners. */
function pointsTo({ owner, foreign }: Children, keys: readonly Key[]): Predicate {
  if (foreign.kind === 'm2o') return isAmong(foreign, keys)
  const texts = keys.map((key) => keyToText(owner, key))
  return decided(allOf([isAmong(foreign.by, [owner.name]), isAmong(foreign, texts)]))
}

const isAmong = (field: OwnField, values: readonly Storable[]): Predicate => ({
  kind: 'test',
  subject: fieldSubject(field),
  operator: '_in',
  // Values that were read from a field are operands of its family, too.
  operand: { kind: 'values', values: values.map((value) => exactly(value as object)) },
  path: [],
})
