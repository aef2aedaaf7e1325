// Members of items as a tree that says the name of each. It needs no aliases, so that any name is possible, and any two names may show the
// same field.
import { fault, isEngineError, type Path } from '../../errors/errors.ts'
import { readCall } from '../../query/call.ts'
import { type Field, isToMany, shownKey } from '../../schema/model.ts'
import { fieldSubject } from '../field-path.ts'
import { callSubject, typeName } from '../filter/function-call.ts'
import type { ComparedValue } from '../filter/predicate.ts'
import { fieldNamed, noField } from '../resolve-name.ts'
import { armOf, childrenOf } from './child-lists.ts'
import { noCursorYet } from './cursor.ts'
import { conditionOf } from './level-condition.ts'
import { listOf, refuseCursors, refuseLists } from './list.ts'
import { type Level, levelBelow } from './query-level.ts'
import type { AnyMember, ArmMember, Member, ShownAs } from './read-plan.ts'

/** A selection that is no part of its query. */
export interface SelectionTree {
  /** Equal ids mean equal members: a template is kept by it. */
  readonly id: string
  readonly members: readonly TreeMember[]
  /** True if a number in it may have more digits than a number of JavaScript. */
  readonly isExact?: boolean
}

export type TreeMember = TreeValue | TreeKey | TreeCursor | TreeConstant | TreeGroup | TreeItems | TreeAny

/** The value of a field, or of a function of one: `year(born)`. */
interface TreeValue {
  readonly kind: 'value'
  readonly name: string
  readonly field: string
  readonly as?: ShownAs | undefined
}

/** The key of an item as one text, whatever its fields are. */
interface TreeKey {
  readonly kind: 'key'
  readonly name: string
}

interface TreeCursor {
  readonly kind: 'cursor'
  readonly name: string
}

interface TreeConstant {
  readonly kind: 'constant'
  readonly name: string
  readonly text: string
}

interface TreeGroup {
  readonly kind: 'group'
  readonly name: string
  readonly members: readonly TreeMember[]
}

interface TreeItems {
  readonly kind: 'items'
  readonly name: string
  readonly field: string
  /** The name under which `deep` has the parameters of this level. */
  readonly level: string
  readonly members: readonly TreeMember[]
}

/** The item of any collection behind a field. */
interface TreeAny {
  readonly kind: 'any'
  readonly name: string
  readonly field: string
  readonly arms: readonly TreeArm[]
}

interface TreeArm {
  readonly collection: string
  readonly level: string
  readonly members: readonly TreeMember[]
}

/** Resolves the members of the items of a level. Problems are reported. */
export function treeMembers(level: Level, members: readonly TreeMember[]): readonly Member[] {
  return membersAt(level, members, { path: [], depth: 0 })
}

/** The place of members in the result. */
interface Place {
  readonly path: Path
  /** Relations that were followed from the root. */
  readonly depth: number
}

function membersAt(level: Level, members: readonly TreeMember[], place: Place): readonly Member[] {
  const { problems, limits, count } = level.context
  if (place.depth > limits.relationDepth) {
    problems.add(place.path, `The selection follows more than ${limits.relationDepth} relations.`)
    return []
  }
  return members.flatMap((member) => {
    if (problems.isFull) return []
    const at = { ...place, path: [...place.path, member.name] }
    count(at.path)
    return memberOf(level, member, at) ?? []
  })
}

const further = ({ path, depth }: Place): Place => ({ path, depth: depth + 1 })

function memberOf(level: Level, member: TreeMember, place: Place): Member | undefined {
  switch (member.kind) {
    case 'constant':
      return member
    case 'cursor':
      return noCursorYet(place.path, member.name)
    case 'group':
      return { kind: 'group', name: member.name, members: membersAt(level, member.members, place) }
    case 'value':
      return valueShown(level, member, place.path)
    case 'key':
      return keyShown(level, member, place.path)
    case 'items':
      return itemsOf(level, member, place)
    default:
      return anyOf(level, member, place)
  }
}

function valueShown(level: Level, { name, field, as }: TreeValue, path: Path): Member | undefined {
  const call =
    typeof readCall(field) === 'object'
      ? callSubject(level.collection, field, path, level.context)
      : undefined
  if (isEngineError(call)) return refuse(level, call)
  if (call) return { kind: 'value', name, subject: call, path, ...(as && isShownAs(as, call) && { as }) }
  const found = fieldNamed(level.collection, field, path)
  if (isEngineError(found)) return refuse(level, found)
  if (isToMany(found)) return refuse(level, notOne(found, path))
  const subject = fieldSubject(found)
  return { kind: 'value', name, subject, path, ...(as && isShownAs(as, subject) && { as }) }
}

/** True if a value is not shown in a form anyway: only exact numbers are shown as text. */
const isShownAs = (as: ShownAs, { type }: ComparedValue): boolean => as === 'key' || type.family === 'decimal'

function keyShown({ collection }: Level, { name }: TreeKey, path: Path): Member | undefined {
  const key = shownKey(collection)
  return key && { kind: 'value', name, subject: fieldSubject(key), path, as: 'key' }
}

function itemsOf(
  level: Level,
  { name, field, level: key, members }: TreeItems,
  place: Place,
): Member | undefined {
  const { path } = place
  const found = fieldNamed(level.collection, field, path)
  if (isEngineError(found)) return refuse(level, found)
  if (isToMany(found)) {
    const inner = placed(level, levelBelow(level, key, found.target, found.foreign), name)
    const list = listOf(inner, {
      members: (one) => membersAt(one, members, further(place)),
      children: childrenOf(found, level.context.circumstances),
      sortField: found.sort,
      isUnlimited: false,
    })
    return { kind: 'many', name, list }
  }
  if (found.kind !== 'm2o') return refuse(level, notOne(found, path))
  const inner = placed(level, levelBelow(level, key, found.target, found), name)
  refuseLists(inner)
  const shown = refuseCursors(inner, membersAt(inner, members, further(place)))
  return { kind: 'one', name, field: found, condition: conditionOf(inner), members: shown }
}

function anyOf(level: Level, { name, field, arms }: TreeAny, place: Place): AnyMember | undefined {
  const { path } = place
  const found = fieldNamed(level.collection, field, path)
  if (isEngineError(found)) return refuse(level, found)
  if (found.kind !== 'any') return refuse(level, notOne(found, path))
  const made: ArmMember[] = []
  for (const arm of arms) {
    const target = found.targets.get(arm.collection)
    if (!target) {
      refuse(level, noField(level.collection, `${field}:${arm.collection}`, path))
      continue
    }
    const inner = placed(level, levelBelow(level, arm.level, target, undefined), name)
    refuseLists(inner)
    made.push({
      ...armOf(found, target, level.context.circumstances),
      condition: conditionOf(inner),
      members: refuseCursors(inner, membersAt(inner, arm.members, further(place))),
      isItem: true,
    })
  }
  return { kind: 'any', name, field: found, arms: made }
}

/** Returns a level with its place in the result, which `deep` calls otherwise. */
const placed = (above: Level, level: Level, name: string): Level => ({
  ...level,
  place: above.place === '' ? name : `${above.place}.${name}`,
})

function refuse(level: Level, problem: ReturnType<typeof fault>): undefined {
  level.context.problems.report(problem)
  return undefined
}

const notOne = (field: Field, path: Path) =>
  fault('INVALID_QUERY', `"${field.name}" (${typeName(field)}) is not shown like this.`, { path })
