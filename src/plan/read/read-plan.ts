// A query after resolution: every name is a field, every list has its condition, its order and its page.
import type { Path } from '../../errors/errors.ts'
import type { AnyReference, Collection, ManyToOne } from '../../schema/model.ts'
import type { AggregateName } from '../../vocabulary/aggregates.ts'
import type { ArmStep, Children, ComparedValue, Predicate } from '../filter/predicate.ts'

/** A list of rows: the root, or the children of one item. */
export interface ListPlan {
  readonly collection: Collection
  /** The relation whose children these are; undefined for the root. */
  readonly children: Children | undefined
  readonly condition: Predicate
  /** The keys of the rows among which it is, as the database has written them. Absent = all rows. */
  readonly held?: readonly unknown[]
  readonly order: readonly OrderKey[]
  readonly page: Page
  readonly rows: ListRows
  /** The place of the list in the result: `comments.author`, and `''` for the root. */
  readonly place: string
}

/** Limit and offset of a list. They are bound anew for each request. */
export interface Page {
  readonly limit: number | undefined
  readonly offset: number
  /** True if a default or a maximum may cut the list short. */
  readonly isCut: boolean
  /** True if it is the same for every request. */
  readonly isFixed: boolean
  /** The place at which it begins or ends. Absent = at the beginning of the list. */
  readonly place?: PagePlace | undefined
  /** The place of the level in the request. */
  readonly path: Path
}

/** The place of a row in the order of a list, whether it is still there or not. */
export interface PagePlace {
  /** True if the page ends before it, and false if it begins after it. */
  readonly isBackward: boolean
  readonly mark: string
  /** The order keys that are null, which is part of a statement's text. */
  readonly nulls: readonly boolean[]
  /** The order keys as the database writes them. */
  readonly values: readonly (string | null)[]
}

export type ListRows = ItemRows | KeyRows | GroupRows

interface ItemRows {
  readonly kind: 'items'
  readonly members: readonly Member[]
}

/** Bare keys of children. */
interface KeyRows {
  readonly kind: 'keys'
}

export interface GroupRows {
  readonly kind: 'groups'
  readonly groups: readonly Group[]
  readonly aggregates: readonly AggregateColumn[]
  /** The condition on each group; its tests are of aggregates. */
  readonly having: Predicate
}

export interface Group {
  /** The nested names of its value in a row: `['author', 'country']`. */
  readonly names: readonly string[]
  readonly value: Value
}

export interface AggregateColumn {
  readonly name: AggregateName
  /** The aggregated value; undefined for whole rows. */
  readonly subject: ComparedValue | undefined
  /** The nested names of its value in a row: `['count']`, or `['sum', 'views']`. */
  readonly names: readonly string[]
  readonly path: Path
}

/** A named member of an item. */
export type Member =
  | ValueMember
  | ConstantMember
  | CursorMember
  | GroupMember
  | OneMember
  | AnyMember
  | ManyMember

export type ShownAs = 'key' | 'number'

export interface ValueMember {
  readonly kind: 'value'
  readonly name: string
  readonly subject: ComparedValue
  readonly path: Path
  /** The form in which it is shown, if not that of its type: a key as one text, or an exact number as a JSON number. */
  readonly as?: ShownAs | undefined
}

/** A text that is the same in all items, such as the name of their type. */
interface ConstantMember {
  readonly kind: 'constant'
  readonly name: string
  readonly text: string
}

/** The place of an item in the order of its list, as a token. */
export interface CursorMember {
  readonly kind: 'cursor'
  readonly name: string
  readonly mark: string
  readonly order: readonly OrderKey[]
  /** The order keys that identify the item. */
  readonly isKey: readonly boolean[]
  readonly path: Path
}

/** Values of the same item under a name of their own. */
interface GroupMember {
  readonly kind: 'group'
  readonly name: string
  readonly members: readonly Member[]
}

/** The target of a many-to-one field, or null. */
export interface OneMember {
  readonly kind: 'one'
  readonly name: string
  readonly field: ManyToOne
  readonly condition: Predicate
  readonly members: readonly Member[]
}

/** The target of a many-to-any reference: an item of the collection it belongs to. */
export interface AnyMember {
  readonly kind: 'any'
  readonly name: string
  readonly field: AnyReference
  readonly arms: readonly ArmMember[]
}

export interface ArmMember extends Omit<ArmStep, 'field'> {
  readonly condition: Predicate
  /** Without members it is the bare key, unless an item was asked for. */
  readonly members: readonly Member[]
  readonly isItem?: true
}

interface ManyMember {
  readonly kind: 'many'
  readonly name: string
  readonly list: ListPlan
}

/** A value of an item, or of an item behind relations. */
export interface Value {
  readonly route: readonly RelationStep[]
  readonly subject: ComparedValue
  readonly path: Path
}

export type RelationStep =
  | { readonly kind: 'one'; readonly field: ManyToOne }
  | ({ readonly kind: 'arm' } & ArmStep)
  | { readonly kind: 'children'; readonly children: Children }

export type OrderKey =
  | { readonly kind: 'value'; readonly value: Value; readonly isDescending: boolean }
  /** A column of a row of groups. */
  | { readonly kind: 'column'; readonly names: readonly string[]; readonly isDescending: boolean }
