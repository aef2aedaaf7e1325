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
import { list, nothing, type OperationResponses, one, several, upserted, written } from './responses.ts'

const ifMatch = parameterNamed('ifMatch')
const ifNoneMatch = parameterNamed('ifNoneMatch')

/** Returns the responses of a write. They are empty for a caller who may not read the written item. */
export const writtenBy = (visible: VisibleActions, ...forms: readonly JsonSchema[]): OperationResponses => ({
  ...(visible.seen && written(...forms)),
  ...(visible.isNarrowed && nothing),
})

export const shapedBy = ({ seen, name }: VisibleActions) => (seen ? queryOf('written', name) : [])

const readOne =
  (verb: string): Describe =>
  ({ seen, name }) =>
    seen && {
      verb,
      summary: `Reads the item of "${name}".`,
      parameters: [...queryOf(seen.isVersioned ? 'versioned' : 'one', name), ifNoneMatch],
      responses: one(partOf(name), seen.isVersioned),
    }

const readByKey: Describe = (visible, around) => visible.whole.key && readOne('read')(visible, around)

/** Returns the schema of the input of a singleton, which is created if it does not exist. */
const singletonBody = (visible: VisibleActions): JsonSchema | undefined => {
  const forms = (['update', 'create'] as const).filter((action) => visible.may(action))
  return forms.length > 0 ? { anyOf: forms.map((action) => partOf(visible.name, action)) } : undefined
}

const updateOnly =
  (verb: string): Describe =>
  (visible) => {
    const body = singletonBody(visible)
    return (
      body && {
        verb,
        summary: `Changes the item of "${visible.name}", or creates it if it does not exist.`,
        parameters: shapedBy(visible),
        body,
        responses: writtenBy(visible, partOf(visible.name)),
      }
    )
  }

const createOnly: Describe = (visible) =>
  visible.may('create')
    ? {
        verb: 'create',
        summary: `Creates the item of "${visible.name}", if it does not exist.`,
        parameters: shapedBy(visible),
        body: partOf(visible.name, 'create'),
        responses: writtenBy(visible, partOf(visible.name)),
      }
    : undefined

const readList: Describe = ({ seen, name }) =>
  seen && {
    verb: 'list',
    summary: `Lists items of "${name}".`,
    description: 'The method SEARCH takes the query in the body: { "query": … }, or keys: { "keys": … }.',
    parameters: [...queryOf('list', name), ifNoneMatch],
    responses: list(partOf(name), true),
  }

const create: Describe = (visible) => {
  const { name } = visible
  if (!visible.may('create')) return undefined
  const item = partOf(name, 'create')
  return {
    verb: 'create',
    summary: `Creates an item of "${name}", or several, all of them or none.`,
    parameters: shapedBy(visible),
    body: { anyOf: [item, several(item)] },
    responses: writtenBy(visible, partOf(name), several(partOf(name))),
  }
}

const updateSeveral: Describe = (visible) => {
  const { name } = visible
  if (!visible.may('update')) return undefined
  const data = partOf(name, 'update')
  const keyed = keyedItem(visible)
  return {
    verb: 'updateSeveral',
    summary: `Changes items of "${name}", all of them or none.`,
    description: 'Each by its own key, those with some keys alike, or all that match a query.',
    parameters: shapedBy(visible),
    body: {
      anyOf: [
        ...(keyed ? [several(keyed)] : []),
        closed({ keys: keysOf(visible), data }),
        closed({ query: partOf(name, 'choice'), data }),
      ],
    },
    // If more than 10,000 items change, the response is empty.
    responses: { ...written(several(partOf(name))), ...nothing },
  }
}

const upsert: Describe = (visible) => {
  const { name, seen, whole } = visible
  const forms = (['create', 'update'] as const).filter((action) => visible.may(action))
  if (!seen || !whole.key || forms.length === 0) return undefined
  const item = { anyOf: forms.map((action) => partOf(name, action)) }
  return {
    verb: 'upsert',
    summary: `Updates the item of "${name}" that has the same unique values, or creates it; or several, all of them or none.`,
    description:
      'Fields that only a creation needs are required when it creates. Numbers are set, not added to.',
    parameters: [parameterNamed('on'), ...shapedBy(visible)],
    body: { anyOf: [item, several(item)] },
    responses: { ...upserted(partOf(name)), ...(visible.isNarrowed && nothing) },
  }
}

const closed = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  additionalProperties: false,
})

const keysOf = ({ whole }: VisibleActions): JsonSchema => several(inputSchema(keyOf(whole).value))

const removeSeveral: Describe = (visible) => {
  const { name } = visible
  if (!visible.may('delete')) return undefined
  const keys = keysOf(visible)
  return {
    verb: 'deleteSeveral',
    summary: `Deletes items of "${name}", all of them or none.`,
    description:
      'Select them in exactly one way: by keys, by a query, or without a body by the parameters. An empty filter is refused.',
    parameters: queryOf('chosen', name),
    body: { anyOf: [keys, closed({ keys }), closed({ query: partOf(name, 'choice') })] },
    isBodyOptional: true,
    responses: nothing,
  }
}

const conditionsOf = ({ whole }: VisibleActions): readonly ErrorCode[] =>
  isRowNumber(whole.key) ? ['PRECONDITION_FAILED', 'PRECONDITION_REQUIRED'] : ['PRECONDITION_FAILED']

const update: Describe = (visible) =>
  visible.may('update')
    ? {
        verb: 'update',
        summary: `Changes an item of "${visible.name}".`,
        parameters: [...shapedBy(visible), ifMatch],
        body: partOf(visible.name, 'update'),
        responses: writtenBy(visible, partOf(visible.name)),
        faults: conditionsOf(visible),
      }
    : undefined

const remove: Describe = (visible) =>
  visible.may('delete')
    ? {
        verb: 'delete',
        summary: `Deletes an item of "${visible.name}".`,
        parameters: [ifMatch],
        responses: nothing,
        faults: conditionsOf(visible),
      }
    : undefined

export const itemOperations = {
  singleton: { GET: readOne('readSingleton'), PATCH: updateOnly('updateSingleton'), POST: createOnly },
  onlyItem: { GET: readOne('readOnlyItem'), PATCH: updateOnly('updateOnlyItem') },
  collection: {
    GET: readList,
    POST: create,
    PUT: upsert,
    PATCH: updateSeveral,
    DELETE: removeSeveral,
  },
  item: { GET: readByKey, PATCH: update, DELETE: remove },
} as const
