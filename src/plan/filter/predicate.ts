// A filter after resolution: every name is a field, every operand a value of its type.
import type { DatePart, JsonScalar } from '../../dialects/phrase-types.ts'
import type { Path } from '../../errors/errors.ts'
import type {
  AnyReference,
  Collection,
  ManyToOne,
  RelationFilter,
  StoredField,
  Tuple,
} from '../../schema/model.ts'
import type { Operand } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import type { JsonPath } from '../../values/json-path.ts'
import type { AggregateName } from '../../vocabulary/aggregates.ts'
import type { OperatorName } from '../../vocabulary/operators.ts'
import type { Pattern } from '../../vocabulary/regex.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'

export type Predicate = And | Or | Test | OneRelated | Arm | Some | None | OfOwner

/** A conjunction. Without parts it is true. */
export interface And {
  readonly kind: 'and'
  readonly parts: readonly Predicate[]
}

/** A disjunction. Without parts it is false. */
interface Or {
  readonly kind: 'or'
  readonly parts: readonly Predicate[]
}

/** One operator on one value. */
export interface Test {
  readonly kind: 'test'
  readonly subject: ComparedValue
  readonly operator: OperatorName
  readonly operand: TestOperand
  /** True if the operand is the same for every request. */
  readonly isFixed?: true
  /** Its place in the request. */
  readonly path: Path
}

/** A condition on the target of a many-to-one field, evaluated like `a?.b`: without a target, everything in it is null. */
export interface OneRelated {
  readonly kind: 'one'
  readonly field: ManyToOne
  readonly condition: Predicate
  readonly path: Path
}

/** A condition on the target of a many-to-any reference, true only if it belongs to one collection. */
export interface Arm extends ArmStep {
  readonly kind: 'arm'
  readonly condition: Predicate
  readonly path: Path
}

/** The item behind a reference to several collections, if it belongs to one of them and meets its condition. */
export interface ArmStep {
  readonly field: AnyReference
  readonly target: Collection
  readonly within: BoundRelation | undefined
}

/** True if at least one child meets the condition. */
export interface Some {
  readonly kind: 'some'
  readonly children: Children
  readonly condition: Predicate
  readonly path: Path
}

/** True if no child meets the condition. */
export interface None {
  readonly kind: 'none'
  readonly children: Children
  readonly condition: Predicate
  readonly path: Path
}

/** A condition on the owner of the children, among those on one child. It occurs inside `some` only. */
interface OfOwner {
  readonly kind: 'owner'
  readonly condition: Predicate
}

/** The rows of another collection that point to an item. */
export interface Children {
  readonly owner: Collection
  readonly target: Collection
  /** Their field that points back. */
  readonly foreign: ManyToOne | AnyReference
  /** The field of the owner for these children; undefined for `$FOLLOW`. */
  readonly name: string | undefined
  /** The condition of the relation, on them; behind a reference to any collection on the owner. */
  readonly within: BoundRelation | undefined
}

/** The condition of a relation, for a caller at a time. */
export interface BoundRelation extends RelationFilter {
  readonly circumstances: Circumstances
}

export type ComparedValue =
  | { readonly kind: 'field'; readonly field: StoredField; readonly type: ValueType }
  | { readonly kind: 'tuple'; readonly field: Tuple; readonly type: ValueType }
  | { readonly kind: 'part'; readonly field: StoredField; readonly part: DatePart; readonly type: ValueType }
  | { readonly kind: 'length'; readonly field: StoredField; readonly type: ValueType }
  | {
      readonly kind: 'json'
      readonly field: StoredField
      readonly path: JsonPath
      readonly as: JsonScalar | undefined
      readonly type: ValueType
    }
  | RelatedValue
  | AggregatedValue

/** An aggregate of the children of an item: `count(comments)`, `sum(articles.views)`. */
export interface RelatedValue {
  readonly kind: 'related'
  readonly name: AggregateName
  /** The value of each child; undefined for the children themselves. */
  readonly of: ComparedValue | undefined
  readonly children: Children
  /** The condition on the children, where an alias has one. */
  readonly condition: Predicate
  /** Its text, with the name of the relation or of the alias. */
  readonly shownAs: string
  readonly type: ValueType
}

/** A value of a group. */
export interface AggregatedValue {
  readonly kind: 'aggregate'
  readonly name: AggregateName
  /** The value of its rows; undefined for the rows themselves. */
  readonly of: ComparedValue | undefined
  /** The name that it has in the result: `sum.views`. */
  readonly shownAs: string
  readonly type: ValueType
}

export type TestOperand =
  | { readonly kind: 'value'; readonly value: Operand }
  | { readonly kind: 'values'; readonly values: readonly Operand[] }
  | { readonly kind: 'pair'; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'geometry'; readonly geometry: Operand }
  | { readonly kind: 'flag' }
  | { readonly kind: 'pattern'; readonly pattern: Pattern }
  | FieldOperand

/** Another field of the item, or one behind to-one relations: null where one of them leads nowhere. */
export interface FieldOperand {
  readonly kind: 'field'
  readonly route: readonly ManyToOne[]
  readonly field: StoredField
}

export const always: Predicate = { kind: 'and', parts: [] }
export const never: Predicate = { kind: 'or', parts: [] }
export const isAlways = (predicate: Predicate): boolean =>
  predicate.kind === 'and' && predicate.parts.length === 0

/** A predicate that cannot be met because a variable in it has no value. It only exists while a filter is resolved. */
export const denied = Symbol('denied')
export type PredicateDraft = Predicate | typeof denied

/** Finishes a draft: a denied one with no alternative around it is false. */
export const decided = (draft: PredicateDraft): Predicate => (draft === denied ? never : draft)

/** A conjunction; one denied part denies all. */
export function allOf(parts: readonly PredicateDraft[]): PredicateDraft {
  const flat: Predicate[] = []
  for (const part of parts) {
    if (part === denied) return denied
    if (part.kind === 'and') flat.push(...part.parts)
    else flat.push(part)
  }
  const [only] = flat
  return flat.length === 1 && only ? only : { kind: 'and', parts: flat }
}

/** A disjunction; denied parts are false. */
export function anyOf(parts: readonly PredicateDraft[]): PredicateDraft {
  const flat: Predicate[] = []
  let isAnyLeft = false
  for (const part of parts) {
    if (part === denied) continue
    isAnyLeft = true
    if (part.kind === 'or') flat.push(...part.parts)
    else flat.push(part)
  }
  if (!isAnyLeft) return denied
  const [only] = flat
  return flat.length === 1 && only ? only : { kind: 'or', parts: flat }
}
