// Names of types that belong to no collection, in whichever schema they are.
import { allConditionInputs } from '../condition-inputs.ts'
import { functionTypes } from '../function-types.ts'
import { scalars } from '../scalars.ts'

export const deletedNames = { one: 'delete_one', many: 'delete_many' } as const

export const eventKinds = 'EventEnum'

export const reservedTypes: readonly string[] = [
  'Query',
  'Mutation',
  'Subscription',
  eventKinds,
  ...Object.values(deletedNames),
  ...Object.keys(scalars),
  ...[...Object.values(functionTypes), ...allConditionInputs].map(({ name }) => name),
]
