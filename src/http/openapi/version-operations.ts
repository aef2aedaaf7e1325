// Operations on versions of items: each takes the collection of the versions, and those whose items have them.

import type { Action } from '../../access/access.ts'
import type { VisibleActions } from '../../access/visible-actions.ts'
import { longestWord } from '../../query/single-values.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { parameterNamed, partOf } from './component-names.ts'
import type { Around, OperationRow, OperationRows } from './describe-operation.ts'
import { searchOf, shapedBy } from './item-operations.ts'
import { queryOf } from './query-parameters.ts'
import { closed, data, list, nothing, objectOf, one } from './responses.ts'

const delta: JsonSchema = { type: 'object', description: 'Fields, as in an update of the item.' }

const versionKey: JsonSchema = {
  type: 'string',
  pattern: '^\\S(?:.*\\S)?$',
  maxLength: longestWord,
  not: { const: 'main' },
  description: `The name of the version among those of the item, of at most ${longestWord} bytes.`,
}
const versionName: JsonSchema = { type: ['string', 'null'] }

const names = closed({}, { key: versionKey, name: versionName })
const ids: JsonSchema = { type: 'array', items: { type: 'string' } }

const isFound = ({ seen }: VisibleActions): boolean =>
  seen !== undefined && ['collection', 'item', 'key'].every((name) => seen.fields.has(name))

const mayOnFound =
  (action: Action) =>
  (table: VisibleActions): boolean =>
    isFound(table) && table.may(action)

const isChanged = (table: VisibleActions, { subjects }: Around): boolean =>
  isFound(table) && subjects.some((subject) => subject.may('update'))

const versions = {
  GET: {
    verb: 'listVersions',
    summary: 'Lists versions.',
    may: 'read',
    parameters: ({ name }) => queryOf('ownList', name),
    responses: ({ name }) => list(partOf(name), false),
  },
  POST: {
    verb: 'createVersion',
    summary: 'Creates a version of an item.',
    may: ({ may }, { subjects }) => may('create') && subjects.length > 0,
    parameters: shapedBy,
    body: (_, { subjects }) =>
      closed(
        {
          collection: { type: 'string', enum: subjects.map(({ name }) => name) },
          item: { type: ['string', 'number'], description: 'The key of the item.' },
          key: versionKey,
        },
        { name: versionName, delta },
      ),
    responses: ({ seen, name }) => data('The version.', seen ? partOf(name) : { type: 'object' }),
  },
  PATCH: {
    verb: 'updateVersions',
    summary: 'Renames versions, all of them or none.',
    may: mayOnFound('update'),
    parameters: shapedBy,
    body: () => ({
      anyOf: [
        {
          type: 'array',
          items: closed({ id: { type: 'string' } }, { key: versionKey, name: versionName }),
        },
        closed({ keys: ids, data: names }),
      ],
    }),
    responses: ({ name }) => data('The versions.', { type: 'array', items: partOf(name) }),
  },
  DELETE: {
    verb: 'deleteVersions',
    summary: 'Deletes versions, all of them or none. The items stay as they are.',
    may: mayOnFound('delete'),
    parameters: () => [],
    body: () => ({ ...ids, description: 'The ids of the versions.' }),
    responses: () => nothing,
  },
} as const satisfies OperationRows

const version = {
  GET: {
    verb: 'readVersion',
    summary: 'Reads a version.',
    may: 'read',
    parameters: ({ name }) => queryOf('one', name),
    responses: ({ name }) => one(partOf(name), false),
  },
  PATCH: {
    verb: 'updateVersion',
    summary: 'Renames a version.',
    may: mayOnFound('update'),
    parameters: (visible) => [...shapedBy(visible), parameterNamed('ifMatch')],
    body: () => names,
    responses: ({ name }) => data('The version.', partOf(name)),
    faults: () => ['PRECONDITION_FAILED'],
  },
  DELETE: {
    verb: 'deleteVersion',
    summary: 'Deletes a version. The item stays as it is.',
    may: mayOnFound('delete'),
    parameters: () => [parameterNamed('ifMatch')],
    responses: () => nothing,
    faults: () => ['PRECONDITION_FAILED'],
  },
} as const satisfies OperationRows

const save: OperationRow = {
  verb: 'saveVersion',
  summary: 'Saves changes in a version.',
  may: (table, around) => isChanged(table, around) && table.may('update'),
  parameters: shapedBy,
  body: () => delta,
  responses: ({ name }) =>
    data('All changes of the version, or the fields of the version that the parameters select.', {
      anyOf: [delta, partOf(name)],
    }),
}

const compare: OperationRow = {
  verb: 'compareVersion',
  summary: 'Compares a version with its item.',
  may: (table, { subjects }) => isFound(table) && subjects.length > 0,
  parameters: () => [],
  responses: (_, { subjects }) =>
    data(
      'Both, and the hash of the item.',
      objectOf({
        outdated: {
          type: 'boolean',
          description: 'Whether the item has changed since the version was created.',
        },
        mainHash: { type: 'string', description: 'The hash to promote it with.' },
        current: delta,
        main: { anyOf: subjects.map(({ name }) => partOf(name)) },
      }),
    ),
}

const promote: OperationRow = {
  verb: 'promoteVersion',
  summary: 'Applies a version to its item.',
  may: isChanged,
  parameters: shapedBy,
  body: () =>
    objectOf(
      { mainHash: { type: 'string', description: 'The hash of the item when it was compared.' } },
      { fields: { ...ids, description: 'The only fields that are promoted.' } },
    ),
  responses: (_, { subjects }) =>
    data('The key of the item, or the fields of the item that the parameters select.', {
      anyOf: [{ type: ['string', 'number'] }, ...subjects.map(({ name }) => partOf(name))],
    }),
  faults: () => ['VERSION_HASH_MISMATCH'],
}

export const versionOperations = {
  searchedVersions: { POST: searchOf('searchVersions', false) },
  versions,
  version,
  save: { POST: save },
  compare: { GET: compare },
  promote: { POST: promote },
} as const
