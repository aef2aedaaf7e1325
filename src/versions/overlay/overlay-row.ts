import type { Children } from '../../plan/filter/predicate.ts'
import { type Key, keyToText, readKey, referencedKey, shownKeyOf, shownParts } from '../../plan/key.ts'
import type { GroupRows, Member, RelationStep } from '../../plan/read/read-plan.ts'
import { shownValue } from '../../plan/read/shown-value.ts'
import { storedFieldsOf } from '../../plan/write/defaults.ts'
import {
  type Collection,
  isByValue,
  isTuple,
  type ManyToOne,
  partsOf,
  referentOf,
} from '../../schema/model.ts'
import type { RequiredData } from './required-data.ts'
import { type Identity, identityOf, type PatchedRow } from './row-changes.ts'

export interface OverlayRow {
  readonly collection: Collection
  readonly identity: Identity
  readonly row: PatchedRow | undefined
  /** Values as results show them, by field. */
  readonly own: Readonly<Record<string, unknown>>
  /** Values of whole members that the database returned. */
  readonly direct: ReadonlyMap<Member, unknown>
  /** Rows behind each step that was needed. */
  readonly below: Map<string, readonly OverlayRow[]>
}

/** Returns the key of a row, even if it is hidden under its name; null if the row has none yet. */
export const rowKey = ({ own }: OverlayRow): unknown => own[keyMark]

/** Prefix that no field name has. */
export const mark = '.'
export const keyMark = `${mark}key`

/** Returns the changed values of a row, as results show them. The key of a row that has none yet is null. */
export function patchedValues({ values, links, held }: PatchedRow): Record<string, unknown> {
  const plain = [...values].map(([field, value]) => [field.name, shownValue(field, value)])
  const linked = [...links].flatMap(([field, { collection, key }]): (readonly [string, unknown])[] => {
    if (field.kind === 'm2o' && isByValue(field)) return shownHeld(field, held.get(field))
    if (key === undefined) return [[field.name, null]]
    return [[field.name, field.kind === 'any' ? keyToText(collection, key) : shownValue(field, key)]]
  })
  return Object.fromEntries([...plain, ...linked])
}

/** Returns the values of a relation that holds other values than a key, and of the fields that hold them. */
function shownHeld(field: ManyToOne, held: Key | undefined): (readonly [string, unknown])[] {
  const whole = [field.name, held === undefined ? null : shownKeyOf(referentOf(field), held)] as const
  if (!isTuple(field) || held === undefined) return [whole]
  const parts = [...shownParts(referentOf(field), held, partsOf(field))]
  return [whole, ...parts.map(([part, value]) => [part.name, value] as const)]
}

/** Returns the names of the fields that refer to a new row by what only the database will know of it. */
export function openNames({ row }: OverlayRow): ReadonlySet<string> {
  const open = [...(row?.links ?? [])].flatMap(([field, { key }]) => {
    const isHeld = field.kind === 'm2o' && isByValue(field)
    return (isHeld ? row?.held.get(field) : key) === undefined ? [field, ...partsOf(field)] : []
  })
  return new Set(open.map(({ name }) => name))
}

/** Returns what a relation of a row holds; undefined for nothing. */
export function heldByRow({ own, row }: OverlayRow, field: ManyToOne): Key | undefined {
  if (row?.values.get(field) === null) return undefined
  const parts = partsOf(field).map(({ name }) => own[name])
  const hasAllParts = isTuple(field) && parts.every((part) => part !== undefined)
  if (hasAllParts && parts.includes(null)) return undefined
  return readKey(referentOf(field), hasAllParts ? parts : own[field.name])
}

/** Creates a row that does not exist yet. */
export function newRow(row: PatchedRow, need: RequiredData): OverlayRow {
  const { collection, identity, key } = row
  const empty = Object.fromEntries(storedFieldsOf(collection).map(({ name }) => [name, null]))
  const own = {
    ...empty,
    ...patchedValues(row),
    [keyMark]: key === undefined ? null : shownKeyOf(collection, key),
  }
  const direct = new Map([...need.direct].map((member) => [member, nothingOf(member)]))
  return { collection, identity, row, own, direct, below: new Map() }
}

/** Returns the value of a member for a row without related rows. */
function nothingOf(member: Member): unknown {
  if (member.kind === 'value') return member.subject.kind === 'related' && !member.subject.of ? 0 : null
  if (member.kind !== 'many') return null
  const { rows } = member.list
  return rows.kind === 'groups' && rows.groups.length === 0 ? [aggregatesOfNone(rows)] : []
}

function aggregatesOfNone({ aggregates }: GroupRows): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const { name, names } of aggregates) {
    const [first = '', second] = names
    const value = name === 'count' || name === 'countDistinct' ? 0 : null
    row[first] = second === undefined ? value : { ...Object(row[first]), [second]: value }
  }
  return row
}

/** Returns the row to which a reference refers, and its key if it has one. */
export function pointer(
  { own, row }: OverlayRow,
  step: Exclude<RelationStep, { kind: 'children' }>,
): { readonly identity: Identity; readonly key: Key | undefined } | undefined {
  const { field } = step
  const target = step.kind === 'one' ? step.field.target : step.target
  if (step.kind === 'arm' && own[step.field.by.name] !== target.name) return undefined
  const link = row?.links.get(field)
  if (link) return link.collection === target ? link : undefined
  const key = referencedKey(target, own[field.name])
  return key === undefined ? undefined : { identity: identityOf(key), key }
}

export const backwards = ({ owner, foreign }: Children): Exclude<RelationStep, { kind: 'children' }> =>
  foreign.kind === 'm2o'
    ? { kind: 'one', field: foreign }
    : { kind: 'arm', field: foreign, target: owner, within: undefined }
