// Operations on versions of items: each takes the collection of the versions, and the collections whose items have them.

import type { VisibleActions } from '../../access/visible-actions.ts'
import { longestWord } from '../../query/single-values.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { parameterNamed, partOf } from './component-names.ts'
import type { Describe } from './describe-operation.ts'
import { shapedBy } from './item-operations.ts'
import { queryOf } from './query-parameters.ts'
import { data, list, nothing, one } from './responses.ts'

const ifNoneMatch = parameterNamed('ifNoneMatch')
const delta: JsonSchema = { type: 'object', description: 'Fields, as in an update of the item.' }

const readList: Describe = ({ seen, name }) =>
  seen && {
    verb: 'listVersions',
    summary: 'Lists versions.',
    parameters: [...queryOf('ownList', name), ifNoneMatch],
    responses: list(partOf(name), false),
  }

const versionKey: JsonSchema = {
  type: 'string',
  pattern: '^\\S(?:.*\\S)?$',
  maxLength: longestWord,
  not: { const: 'main' },
  description: `The name of the version among those of the item, of at most ${longestWord} bytes.`,
}
const versionName: JsonSchema = { type: ['string', 'null'] }

const create: Describe = (table, { subjects }) =>
  table.may('create') && subjects.length > 0
    ? {
        verb: 'createVersion',
        summary: 'Creates a version of an item.',
        parameters: shapedBy(table),
        body: {
          type: 'object',
          required: ['collection', 'item', 'key'],
          properties: {
            collection: { type: 'string', enum: subjects.map(({ name }) => name) },
            item: { type: ['string', 'number'], description: 'The key of the item.' },
            key: versionKey,
            name: versionName,
            delta,
          },
          additionalProperties: false,
        },
        responses: data('The version.', table.seen ? partOf(table.name) : { type: 'object' }),
      }
    : undefined

const read: Describe = ({ seen, name }) =>
  seen && {
    verb: 'readVersion',
    summary: 'Reads a version.',
    parameters: [...queryOf('one', name), ifNoneMatch],
    responses: one(partOf(name), false),
  }

const names: JsonSchema = {
  type: 'object',
  properties: { key: versionKey, name: versionName },
  additionalProperties: false,
}

const update: Describe = (table) =>
  isFound(table) && table.may('update')
    ? {
        verb: 'updateVersion',
        summary: 'Renames a version.',
        parameters: shapedBy(table),
        body: names,
        responses: data('The version.', partOf(table.name)),
      }
    : undefined

const updateSeveral: Describe = (table) =>
  isFound(table) && table.may('update')
    ? {
        verb: 'updateVersions',
        summary: 'Renames versions, all of them or none.',
        parameters: shapedBy(table),
        body: {
          anyOf: [
            {
              type: 'array',
              items: {
                type: 'object',
                required: ['id'],
                properties: { id: { type: 'string' }, key: versionKey, name: versionName },
                additionalProperties: false,
              },
            },
            {
              type: 'object',
              required: ['keys', 'data'],
              properties: { keys: { type: 'array', items: { type: 'string' } }, data: names },
              additionalProperties: false,
            },
          ],
        },
        responses: data('The versions.', { type: 'array', items: partOf(table.name) }),
      }
    : undefined

const remove: Describe = (table) =>
  isFound(table) && table.may('delete')
    ? {
        verb: 'deleteVersion',
        summary: 'Deletes a version. The item stays as it is.',
        parameters: [],
        responses: nothing,
      }
    : undefined

const removeSeveral: Describe = (table) =>
  isFound(table) && table.may('delete')
    ? {
        verb: 'deleteVersions',
        summary: 'Deletes versions, all of them or none. The items stay as they are.',
        parameters: [],
        body: { type: 'array', items: { type: 'string' }, description: 'The ids of the versions.' },
        responses: nothing,
      }
    : undefined

/** True if the item of a version can be found, for which these fields are needed. */
const isFound = ({ seen }: VisibleActions): boolean =>
  seen !== undefined && ['collection', 'item', 'key'].every((name) => seen.fields.has(name))

const isChanged = (table: VisibleActions, subjects: readonly VisibleActions[]): boolean =>
  isFound(table) && subjects.some((subject) => subject.may('update'))

const save: Describe = (table, { subjects }) =>
  isChanged(table, subjects) && table.may('update')
    ? {
        verb: 'saveVersion',
        summary: 'Saves changes in a version.',
        parameters: shapedBy(table),
        body: delta,
        responses: data(
          'All changes of the version, or the fields of the version that the parameters select.',
          {
            anyOf: [delta, partOf(table.name)],
          },
        ),
      }
    : undefined

const compare: Describe = (table, { subjects }) =>
  isFound(table) && subjects.length > 0
    ? {
        verb: 'compareVersion',
        summary: 'Compares a version with its item.',
        parameters: [ifNoneMatch],
        responses: data('Both, and the hash of the item.', {
          type: 'object',
          required: ['outdated', 'mainHash', 'current', 'main'],
          properties: {
            outdated: {
              type: 'boolean',
              description: 'Whether the item has changed since the version was created.',
            },
            mainHash: { type: 'string', description: 'The hash to promote it with.' },
            current: delta,
            main: { anyOf: subjects.map(({ name }) => partOf(name)) },
          },
        }),
      }
    : undefined

const promote: Describe = (table, { subjects }) =>
  isChanged(table, subjects)
    ? {
        verb: 'promoteVersion',
        summary: 'Applies a version to its item.',
        parameters: shapedBy(table),
        body: {
          type: 'object',
          required: ['mainHash'],
          properties: {
            mainHash: { type: 'string', description: 'The hash of the item when it was compared.' },
            fields: {
              type: 'array',
              items: { type: 'string' },
              description: 'The only fields that are promoted.',
            },
          },
        },
        responses: data('The key of the item, or the fields of the item that the parameters select.', {
          anyOf: [{ type: ['string', 'number'] }, ...subjects.map(({ name }) => partOf(name))],
        }),
        faults: ['VERSION_HASH_MISMATCH'],
      }
    : undefined

export const versionOperations = {
  versions: { GET: readList, POST: create, PATCH: updateSeveral, DELETE: removeSeveral },
  version: { GET: read, PATCH: update, DELETE: remove },
  save: { POST: save },
  compare: { GET: compare },
  promote: { POST: promote },
} as const
