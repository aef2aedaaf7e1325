import { type EngineError, fault, isEngineError, type Path, quote } from '../../errors/errors.ts'
import type { Collection } from '../../schema/model.ts'
import type { Family } from '../../types/families.ts'
import { type AggregateName, aggregates } from '../../vocabulary/aggregates.ts'
import { nameIn, valueNamed } from '../field-path.ts'
import { isMasked, type NameReading, typeName, usableFamily } from '../filter/function-call.ts'
import type { ComparedValue } from '../filter/predicate.ts'

/** Returns the value of a collection's rows that is aggregated, or the error that says why it cannot be. */
export function aggregatedField(
  { collection, naming }: { readonly collection: Collection; readonly naming: NameReading },
  name: AggregateName,
  field: string,
  path: Path,
): ComparedValue | EngineError {
  const value = valueNamed(collection, field, path, naming)
  if (isEngineError(value)) return value
  if (value.route.length > 0)
    return fault('INVALID_QUERY', `"${name}" takes fields of the collection itself, not ${quote(field)}.`, {
      path,
    })
  const { subject } = value
  const mistake = misuse(name, subject)
  return mistake ? fault('INVALID_QUERY', mistake, { path }) : subject
}

function misuse(name: AggregateName, subject: ComparedValue): string | undefined {
  const families: readonly Family[] = aggregates[name].families
  const family = usableFamily(subject)
  if (families.includes(family)) return undefined
  const what =
    subject.kind === 'field' || subject.kind === 'tuple'
      ? `"${nameIn(subject)}" (${typeName(subject.field)})`
      : `a value of type ${family}`
  return `"${name}" does not work on ${what}${isMasked(subject) ? ', which is concealed' : ''}.`
}
