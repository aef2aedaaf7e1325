import type { Path } from '../../errors/errors.ts'
import type { Collection, Field } from '../../schema/model.ts'
import { always, anyOf, decided, never, type Predicate } from './predicate.ts'

/** Matches the text as a part of any readable string or text field, ignoring case. */
export function searchPredicate(text: string | undefined, collection: Collection, path: Path): Predicate {
  if (text === undefined) return always
  const tests = [...collection.fields.values()].filter(isSearched).map(
    (field): Predicate => ({
      kind: 'test',
      subject: { kind: 'field', field, type: field.value },
      operator: '_icontains',
      operand: { kind: 'text', text },
      path,
    }),
  )
  return tests.length === 0 ? never : decided(anyOf(tests))
}

const isSearched = (field: Field): field is Extract<Field, { kind: 'scalar' }> =>
  field.kind === 'scalar' &&
  field.isSearchable &&
  !field.isConcealed &&
  !field.value.isArray &&
  field.value.family === 'text'
