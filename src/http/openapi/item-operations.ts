// Operations on items. Each is undefined if it is not allowed.

import type { VisibleActions } from '../../access/visible-actions.ts'
import type { ErrorCode } from '../../errors/errors.ts'
import { isRowNumber, keyOf } from '../../schema/model.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { parameterNamed, partOf } from './component-names.ts'
import type { Describe } from './describe-operation.ts'
import { inputSchema } from './input-schema.ts'
import { keyedItem } from './payload-schema.ts'
import { queryOf } from './query-parameters.ts'
import { list, nothing, type OperationResponses, one, several, written } from './responses.ts'

const ifMatch = parameterNamed('ifMatch')
const ifNoneMatch = parameterNamed('ifNoneMatch')

/** Returns the responses of a write. They are empty for a caller who may not read the written item. */
export const writtenBy = (sight: VisibleActions, ...forms: readonly JsonSchema[]): OperationResponses => ({
  ...(sight.seen && written(...forms)),
  ...(sight.isNarrowed && nothing),
})

export const shapedBy = ({ seen, name }: VisibleActions) => (seen ? queryOf('written', name) : [])

const readOne =
  (verb: string): Describe =>
  ({ seen, name }) =>
    seen && {
      verb,
      summary: `Reads the item of "${name}".`,
      parameters: [...queryOf(seen.isVersioned ? 'versioned' : 'one', name), ifNoneMatch],
      answers: one(partOf(name), seen.isVersioned),
    }

const readByKey: Describe = (sight, around) => sight.whole.key && readOne('read')(sight, around)

/** Returns the schema of the input of a singleton, which is created if it does not exist. */
const singletonBody = (sight: VisibleActions): JsonSchema | undefined => {
  const forms = (['update', 'create'] as const).filter((action) => sight.may(action))
  return forms.length > 0 ? { anyOf: forms.map((action) => partOf(sight.name, action)) } : undefined
}

const updateOnly =
  (verb: string): Describe =>
  (sight) => {
    const body = singletonBody(sight)
    return (
      body && {
        verb,
        summary: `Changes the item of "${sight.name}", or creates it if it does not exist.`,
        parameters: shapedBy(sight),
        body,
        answers: writtenBy(sight, partOf(sight.name)),
      }
    )
  }

const createOnly: Describe = (sight) =>
  sight.may('create')
    ? {
        verb: 'create',
        summary: `Creates the item of "${sight.name}", if it does not exist.`,
        parameters: shapedBy(sight),
        body: partOf(sight.name, 'create'),
        answers: writtenBy(sight, partOf(sight.name)),
      }
    : undefined

const readList: Describe = ({ seen, name }) =>
  seen && {
    verb: 'list',
    summary: `Lists items of "${name}".`,
    description: 'The method SEARCH takes the query in the body: { "query": … }, or keys: { "keys": … }.',
    parameters: [...queryOf('list', name), ifNoneMatch],
    answers: list(partOf(name), true),
  }

const create: Describe = (sight) => {
  const { name } = sight
  if (!sight.may('create')) return undefined
  const item = partOf(name, 'create')
  return {
    verb: 'create',
    summary: `Creates an item of "${name}", or several, all of them or none.`,
    parameters: shapedBy(sight),
    body: { anyOf: [item, several(item)] },
    answers: writtenBy(sight, partOf(name), several(partOf(name))),
  }
}

const updateSeveral: Describe = (sight) => {
  const { name } = sight
  if (!sight.may('update')) return undefined
  const data = partOf(name, 'update')
  const keyed = keyedItem(sight)
  return {
    verb: 'updateSeveral',
    summary: `Changes items of "${name}", all of them or none.`,
    description: 'Each by its own key, those with some keys alike, or all that match a query.',
    parameters: shapedBy(sight),
    body: {
      anyOf: [
        ...(keyed ? [several(keyed)] : []),
        closed({ keys: keysOf(sight), data }),
        closed({ query: partOf(name, 'choice'), data }),
      ],
    },
    // If more than 10,000 items change, the response is empty.
    answers: { ...written(several(partOf(name))), ...nothing },
  }
}

const closed = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  additionalProperties: false,
})

const keysOf = ({ whole }: VisibleActions): JsonSchema => several(inputSchema(keyOf(whole).value))

const removeSeveral: Describe = (sight) => {
  const { name } = sight
  if (!sight.may('delete')) return undefined
  const keys = keysOf(sight)
  return {
    verb: 'deleteSeveral',
    summary: `Deletes items of "${name}", all of them or none.`,
    description:
      'Select them in exactly one way: by keys, by a query, or without a body by the parameters. An empty filter is refused.',
    parameters: queryOf('chosen', name),
    body: { anyOf: [keys, closed({ keys }), closed({ query: partOf(name, 'choice') })] },
    isBodyOptional: true,
    answers: nothing,
  }
}

const conditionsOf = ({ whole }: VisibleActions): readonly ErrorCode[] =>
  isRowNumber(whole.key) ? ['PRECONDITION_FAILED', 'PRECONDITION_REQUIRED'] : ['PRECONDITION_FAILED']

const update: Describe = (sight) =>
  sight.may('update')
    ? {
        verb: 'update',
        summary: `Changes an item of "${sight.name}".`,
        parameters: [...shapedBy(sight), ifMatch],
        body: partOf(sight.name, 'update'),
        answers: writtenBy(sight, partOf(sight.name)),
        faults: conditionsOf(sight),
      }
    : undefined

const remove: Describe = (sight) =>
  sight.may('delete')
    ? {
        verb: 'delete',
        summary: `Deletes an item of "${sight.name}".`,
        parameters: [ifMatch],
        answers: nothing,
        faults: conditionsOf(sight),
      }
    : undefined

export const itemOperations = {
  singleton: { GET: readOne('readSingleton'), PATCH: updateOnly('updateSingleton'), POST: createOnly },
  onlyItem: { GET: readOne('readOnlyItem'), PATCH: updateOnly('updateOnlyItem') },
  collection: {
    GET: readList,
    POST: create,
    PATCH: updateSeveral,
    DELETE: removeSeveral,
  },
  item: { GET: readByKey, PATCH: update, DELETE: remove },
} as const
