import type { VisibleActions } from '../../access/visible-actions.ts'
import type { ErrorCode } from '../../errors/errors.ts'
import { isRowNumber, keyOf } from '../../schema/model.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { parameterNamed, partOf, schemaNamed } from './component-names.ts'
import type { OperationRow, OperationRows } from './describe-operation.ts'
import { inputSchema } from './input-schema.ts'
import { keyedItem } from './payload-schema.ts'
import { queryOf } from './query-parameters.ts'
import {
  closed,
  deleted,
  list,
  nothing,
  type OperationResponses,
  one,
  several,
  upserted,
  written,
} from './responses.ts'

const ifMatch = parameterNamed('ifMatch')

/** Returns the responses of a write. They are empty for a caller who may not read the written item. */
const writtenBy = (visible: VisibleActions, ...forms: readonly JsonSchema[]): OperationResponses => ({
  ...(visible.seen && written(...forms)),
  ...(visible.isNarrowed && nothing),
})

const oneWritten = (visible: VisibleActions): OperationResponses => writtenBy(visible, partOf(visible.name))
export const someWritten = (visible: VisibleActions): OperationResponses =>
  writtenBy(visible, partOf(visible.name), several(partOf(visible.name)))

export const shapedBy = ({ seen, name }: VisibleActions) => (seen ? queryOf('written', name) : [])

const readOne = (verb: string): OperationRow => ({
  verb,
  summary: 'Reads the item of "{name}".',
  may: 'read',
  parameters: ({ seen, name }) => queryOf(seen?.isVersioned ? 'versioned' : 'one', name),
  responses: ({ seen, name }) => one(partOf(name), seen?.isVersioned ?? false),
})

const formsOf = (visible: VisibleActions, ...actions: readonly ('create' | 'update')[]): JsonSchema[] =>
  actions.filter((action) => visible.may(action)).map((action) => partOf(visible.name, action))

const conditionsOf = ({ whole }: VisibleActions): readonly ErrorCode[] =>
  isRowNumber(whole.key) ? ['PRECONDITION_FAILED', 'PRECONDITION_REQUIRED'] : ['PRECONDITION_FAILED']

/** Returns the update of a singleton, which is created if it does not exist. */
const updateOnly = (verb: string): OperationRow => ({
  verb,
  summary: 'Changes the item of "{name}", or creates it if it does not exist.',
  may: ({ may }) => may('update') || may('create'),
  parameters: (visible) => [...shapedBy(visible), ifMatch],
  body: (visible) => ({ anyOf: formsOf(visible, 'update', 'create') }),
  responses: oneWritten,
  faults: conditionsOf,
})

const createOnly: OperationRow = {
  verb: 'create',
  summary: 'Creates the item of "{name}", if it does not exist.',
  may: 'create',
  parameters: shapedBy,
  body: ({ name }) => partOf(name, 'create'),
  responses: oneWritten,
}

const oneOrSeveral = (item: JsonSchema): JsonSchema => ({ anyOf: [item, several(item)] })

const dryRun = { dryRun: { type: 'boolean' } }

const prefer = parameterNamed('prefer')

const keysOf = ({ whole }: VisibleActions): JsonSchema => several(inputSchema(keyOf(whole).value))

const collection = {
  GET: {
    verb: 'list',
    summary: 'Lists items of "{name}".',
    may: 'read',
    parameters: ({ name }) => queryOf('list', name),
    responses: ({ name }) => list(partOf(name), true),
  },
  POST: {
    verb: 'create',
    summary: 'Creates an item of "{name}", or several, all of them or none.',
    may: 'create',
    parameters: shapedBy,
    body: ({ name }) => oneOrSeveral(partOf(name, 'create')),
    responses: someWritten,
  },
  PUT: {
    verb: 'upsert',
    summary:
      'Updates the item of "{name}" that has the same unique values, or creates it; or several, all of them or none.',
    description:
      'Fields that only a creation needs are required when it creates. Numbers are set, not added to.',
    may: ({ seen, whole, may }) => seen && whole.key && (may('create') || may('update')),
    parameters: (visible) => [parameterNamed('on'), parameterNamed('where'), ...shapedBy(visible)],
    body: (visible) => oneOrSeveral({ anyOf: formsOf(visible, 'create', 'update') }),
    responses: ({ name, isNarrowed }) => ({ ...upserted(partOf(name)), ...(isNarrowed && nothing) }),
  },
  PATCH: {
    verb: 'updateSeveral',
    summary: 'Changes items of "{name}", all of them or none.',
    description: 'Each by its own key, those with some keys alike, or all that match a query.',
    may: 'update',
    parameters: (visible) => [...shapedBy(visible), prefer],
    body: (visible) => {
      const data = partOf(visible.name, 'update')
      const keyed = keyedItem(visible)
      const [byKeys, byQuery] = [
        { keys: keysOf(visible), data },
        { query: partOf(visible.name, 'choice'), data },
      ]
      return { anyOf: [...(keyed ? [several(keyed)] : []), closed(byKeys), closed(byQuery, dryRun)] }
    },
    // If more than 10,000 items change, the response is empty.
    responses: ({ name }) => ({ ...written(several(partOf(name)), schemaNamed('_updated')), ...nothing }),
  },
  DELETE: {
    verb: 'deleteSeveral',
    summary: 'Deletes items of "{name}", all of them or none.',
    description:
      'Select them in exactly one way: by keys, by a query, or without a body by the parameters. An empty filter is refused.',
    may: 'delete',
    parameters: ({ name }) => [...queryOf('chosen', name), prefer],
    body: (visible) => {
      const keys = keysOf(visible)
      return {
        anyOf: [keys, closed({ keys }, dryRun), closed({ query: partOf(visible.name, 'choice') }, dryRun)],
      }
    },
    isBodyOptional: true,
    responses: () => deleted,
  },
} as const satisfies OperationRows

const item = {
  GET: { ...readOne('read'), may: ({ seen, whole }) => seen && whole.key },
  PATCH: {
    verb: 'update',
    summary: 'Changes an item of "{name}".',
    may: 'update',
    parameters: (visible) => [...shapedBy(visible), ifMatch],
    body: ({ name }) => partOf(name, 'update'),
    responses: oneWritten,
    faults: conditionsOf,
  },
  DELETE: {
    verb: 'delete',
    summary: 'Deletes an item of "{name}".',
    may: 'delete',
    parameters: () => [ifMatch],
    responses: () => nothing,
    faults: conditionsOf,
  },
} as const satisfies OperationRows

/** Returns the list of a search, whose query is in the body. */
export const searchOf = (verb: string, isExport: boolean): OperationRow => ({
  verb,
  summary: 'Searches "{name}" by a query in the body.',
  may: 'read',
  parameters: () => [],
  body: (visible) => ({
    ...closed({}, { query: { type: 'object' }, ...(visible.whole.key && { keys: keysOf(visible) }) }),
    minProperties: 1,
  }),
  isBodyOptional: true,
  responses: ({ name }) => list(partOf(name), isExport),
})

export const itemOperations = {
  searchedItems: { POST: searchOf('search', true) },
  searchedOnly: { POST: { ...searchOf('searchSingleton', false), responses: readOne('').responses } },
  singleton: { GET: readOne('readSingleton'), PATCH: updateOnly('updateSingleton'), POST: createOnly },
  onlyItem: { GET: readOne('readOnlyItem'), PATCH: updateOnly('updateOnlyItem') },
  collection,
  item,
} as const
