// A condition on one of several children, with conditions on the list of them in between.
import type { Path } from '../errors/errors.ts'
import {
  allOf,
  anyOf,
  type Children,
  decided,
  denied,
  isAlways,
  type Predicate,
  type PredicateDraft,
} from './predicate.ts'

/** A condition on the item that has the children, where one on a child is expected. */
export const ofOwner = (condition: PredicateDraft): PredicateDraft =>
  condition === denied ? denied : { kind: 'owner', condition }

/** Met by an item one of whose children meets the condition. Parts of it that are about the owner need no child of their own: what
 *  holds by them alone holds without children, too. Without any condition there need not be a child either. */
export function someChild(condition: PredicateDraft, children: Children, path: Path): PredicateDraft {
  return condition === denied || isAlways(condition) ? condition : met(condition)

  function met(part: Predicate): Predicate {
    if (part.kind === 'owner') return part.condition
    const isMixed = speaksOfOwner(part)
    // One child meets one of the branches: it may be another child for each.
    if (isMixed && part.kind === 'or') return decided(anyOf(part.parts.map(met)))
    return isMixed && part.kind === 'and' ? metTogether(part.parts) : ofChild(part)
  }

  /** All parts are about the same child. Only what is about the owner as a whole can stand beside it. */
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

function speaksOfOwner(part: Predicate): boolean {
  if (part.kind === 'and' || part.kind === 'or') return part.parts.some(speaksOfOwner)
  return part.kind === 'owner'
}

/** What is left where no child meets anything; undefined where nothing holds then. */
function withoutChild(part: Predicate): Predicate | undefined {
  if (part.kind === 'owner') return part.condition
  if (part.kind !== 'and' && part.kind !== 'or') return undefined
  const left = part.parts.map(withoutChild).filter((one) => one !== undefined)
  if (part.kind === 'and') return left.length < part.parts.length ? undefined : decided(allOf(left))
  return left.length === 0 ? undefined : decided(anyOf(left))
}
