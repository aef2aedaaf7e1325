// A walk through predicates: the one place that knows what stands inside of which.

import type { Collection, StoredField } from '../schema/model.ts'
import { fieldsIn } from './field-path.ts'
import type { Predicate, Test } from './filter/predicate.ts'

/** Returns the predicates directly inside of a predicate. */
export function partsOf(predicate: Predicate): readonly Predicate[] {
  if (predicate.kind === 'and' || predicate.kind === 'or') return predicate.parts
  return predicate.kind === 'test' ? [] : [predicate.condition]
}

/** Returns the tests of a predicate, also those on related items. */
export const testsIn = (predicate: Predicate): readonly Test[] =>
  predicate.kind === 'test' ? [predicate] : partsOf(predicate).flatMap(testsIn)

/** Returns the fields that the tests of a predicate name, also those of related items. */
export const fieldsTested = (predicate: Predicate): readonly StoredField[] =>
  testsIn(predicate).flatMap(({ subject }) => fieldsIn(subject))

/** Returns a predicate with some of its tests replaced. */
export function withTests(predicate: Predicate, replaced: (test: Test) => Test): Predicate {
  if (predicate.kind === 'test') return replaced(predicate)
  if (predicate.kind === 'and' || predicate.kind === 'or')
    return { ...predicate, parts: predicate.parts.map((part) => withTests(part, replaced)) }
  return { ...predicate, condition: withTests(predicate.condition, replaced) }
}

/** Returns the collections of the related items that the tests of a predicate name. */
export function collectionsTested(predicate: Predicate): readonly Collection[] {
  const below = partsOf(predicate).flatMap(collectionsTested)
  switch (predicate.kind) {
    case 'one':
      return [predicate.field.target, ...below]
    case 'arm':
      return [predicate.target, ...below]
    case 'some':
    case 'none':
      return [predicate.children.target, ...below]
    case 'test':
      return predicate.subject.kind === 'count' ? [predicate.subject.children.target] : []
    default:
      return below
  }
}
