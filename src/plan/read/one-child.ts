// A condition on one of several children, mixed with conditions on the list of them.
import type { Path } from '../../errors/errors.ts'
import {
  allOf,
  anyOf,
  type Children,
  decided,
  denied,
  isAlways,
  type Predicate,
  type PredicateDraft,
} from '../filter/predicate.ts'
import { leavesOf } from '../walk.ts'

/** A condition on the owner of the children, in place of one on a child. */
export const ofOwner = (condition: PredicateDraft): PredicateDraft =>
  condition === denied ? denied : { kind: 'owner', condition }

/** True for an item of which one child meets the condition. Parts about the owner need no child: what they
 *  alone decide also holds without children. An empty condition needs no child either. */
export function someChild(condition: PredicateDraft, children: Children, path: Path): PredicateDraft {
  return condition === denied || isAlways(condition) ? condition : met(condition)

  function met(part: Predicate): Predicate {
    if (part.kind === 'owner') return part.condition
    const isMixed = speaksOfOwner(part)
    // Each branch may be met by another child.
    if (isMixed && part.kind === 'or') return decided(anyOf(part.parts.map(met)))
    return isMixed && part.kind === 'and' ? metTogether(part.parts) : ofChild(part)
  }

  /** All parts are about the same child, except those about the owner as a whole. */
  function metTogether(parts: readonly Predicate[]): Predicate {
    const beside = parts.filter((part) => part.kind === 'owner').map(met)
    const [first, ...others] = parts.filter((part) => part.kind !== 'owner')
    if (!first) return decided(allOf(beside))
    if (others.length === 0) return decided(allOf([...beside, met(first)]))
    const together = decided(allOf([first, ...others]))
    const alone = withoutChild(together)
    const some = ofChild(together)
    return decided(allOf([...beside, alone ? anyOf([some, alone]) : some]))
  }

  function ofChild(part: Predicate): Predicate {
    return { kind: 'some', children, condition: part, path }
  }
}

const speaksOfOwner = (part: Predicate): boolean => leavesOf(part).some(({ kind }) => kind === 'owner')

/** The condition that remains without any child; undefined if it cannot be met. */
function withoutChild(part: Predicate): Predicate | undefined {
  if (part.kind === 'owner') return part.condition
  if (part.kind !== 'and' && part.kind !== 'or') return undefined
  const left = part.parts.map(withoutChild).filter((one) => one !== undefined)
  if (part.kind === 'and') return left.length < part.parts.length ? undefined : decided(allOf(left))
  return left.length === 0 ? undefined : decided(anyOf(left))
}
