// Kinds of fields by the functions that work on them: each is a type of GraphQL.
import { type Field, isToMany, isTuple } from '../../schema/model.ts'
import type { Family } from '../../types/families.ts'
import { type FunctionName, functionsOf } from '../../vocabulary/functions.ts'

/** The functions that work on a field, as a name of types: `date_functions`, `datetime_functions`. */
export type FunctionKind = 'date' | 'datetime' | 'time' | 'count' | 'json'

const kinds: ReadonlyMap<string, FunctionKind> = new Map([
  [textOf(functionsOf('date')), 'date'],
  [textOf(functionsOf('dateTime')), 'datetime'],
  [textOf(functionsOf('time')), 'time'],
  [textOf(functionsOf('json')), 'json'],
])

export function functionKind(field: Field): FunctionKind | undefined {
  if (isToMany(field)) return 'count'
  if (isTuple(field) || (field.kind === 'scalar' && field.isConcealed)) return undefined
  return kindOf(field.value.family)
}

const byFamily = new Map<Family, FunctionKind | undefined>()

/** Returns the kind of a family, of which there are few, and fields many. */
function kindOf(of: Family): FunctionKind | undefined {
  if (!byFamily.has(of)) byFamily.set(of, kinds.get(textOf(functionsOf(of))))
  return byFamily.get(of)
}

const family: Readonly<Record<Exclude<FunctionKind, 'count'>, Family>> = {
  date: 'date',
  datetime: 'dateTime',
  time: 'time',
  json: 'json',
}

export const functionsIn = (kind: FunctionKind): readonly FunctionName[] =>
  kind === 'count' ? ['count'] : functionsOf(family[kind])

function textOf(of: readonly FunctionName[]): string {
  return of.join()
}
