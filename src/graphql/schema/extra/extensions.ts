// Checks what a host adds to a schema, once for each schema.
import {
  callback,
  checkOptions,
  list,
  type OptionKind,
  optionNames,
  text,
} from '../../../errors/check-options.ts'
import { type EngineError, fault, type Path, quote } from '../../../errors/errors.ts'
import { suggestion } from '../../../errors/suggest.ts'
import { type Collection, isToMany, type Schema } from '../../../schema/model.ts'
import { isRecord } from '../../../values/guards.ts'
import { memoFor } from '../../../values/memo.ts'
import { isGraphQLName } from '../names/graphql-name.ts'
import type { ExtraOutline } from '../outline/extra-outline.ts'
import type { GraphQLExtend, GraphQLExtraField, GraphQLExtraQuery } from './extend-options.ts'
import { extraScalars, extraType, shownAs } from './extra-types.ts'

/** A field that a host computes: how it stands in the schema, and how it is computed. */
export interface Extra<Resolve> extends ExtraOutline {
  readonly resolve: Resolve
  /** Returns a value as JSON has it; undefined for one that is not of the type. */
  readonly shown: (value: unknown) => unknown
}

type ExtraQuery = Extra<GraphQLExtraQuery['resolve']>
export type ExtraField = Extra<GraphQLExtraField['resolve']>

export interface Extensions {
  readonly queries: ReadonlyMap<string, ExtraQuery>
  /** Fields of items, by collection and name. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, ExtraField>>
  /** A text that is equal for extensions that look the same in a schema. */
  readonly text: string
}

export const noExtensions: Extensions = { queries: new Map(), fields: new Map(), text: '' }

const checked = new WeakMap<object, WeakMap<Schema, Extensions>>()

export function extensionsOf(extend: object | undefined, schema: Schema): Extensions {
  if (extend === undefined) return noExtensions
  return memoFor(
    memoFor(checked, extend, () => new WeakMap<Schema, Extensions>()),
    schema,
    () => read(extend, schema),
  )
}

const record: OptionKind = { holds: isRecord, says: 'is an object' }
const parts = optionNames<GraphQLExtend>({ queries: record, fields: record })
const ofQuery = { type: text, args: record, note: text, resolve: callback }
const queryNames = optionNames<GraphQLExtraQuery>(ofQuery)
const fieldNames = optionNames<GraphQLExtraField>({ ...ofQuery, needs: list })

function read(extend: object, schema: Schema): Extensions {
  checkOptions(extend, parts, ['extend'])
  const { queries = {}, fields = {} } = extend as GraphQLExtend // its parts are checked one by one
  const extraQueries = Object.entries(queries).map(([name, input]) => {
    const path = ['extend', 'queries', name]
    checkOptions(input, queryNames, path)
    return [name, { ...extraOf(name, input, path), resolve: input.resolve, needs: [] }] as const
  })
  const extraFields = Object.entries(fields).map(([name, input]) => {
    const path = ['extend', 'fields', name]
    const collection = collectionNamed(name, schema, path)
    if (!isRecord(input))
      throw wrong(path, `The fields of ${quote(name)} are an object, not ${quote(input)}.`)
    return [
      name,
      new Map(Object.entries(input).map(([field, one]) => [field, fieldOf(field, one, collection, path)])),
    ] as const
  })
  const seen = [
    extraQueries.map(([, query]) => query),
    extraFields.map(([name, all]) => [name, ...all.values()]),
  ]
  return { queries: new Map(extraQueries), fields: new Map(extraFields), text: JSON.stringify(seen) }
}

function collectionNamed(name: string, { collections }: Schema, path: Path): Collection {
  const found = collections.get(name)
  if (found) return found
  throw wrong(path, `There is no collection ${quote(name)}.`, suggestion(name, collections.keys()))
}

function fieldOf(name: string, input: unknown, collection: Collection, above: Path): ExtraField {
  const path = [...above, name]
  checkOptions(input, fieldNames, path)
  const field = input as GraphQLExtraField // checked just now
  const extra = extraOf(name, field, path)
  if (extra.type.endsWith('!'))
    throw wrong(
      [...path, 'type'],
      `A field that is computed may fail, and then is null: its type is not ${quote(extra.type)}.`,
      `Write ${quote(extra.type.slice(0, -1))}.`,
    )
  if (!Array.isArray(field.needs))
    throw wrong(
      [...path, 'needs'],
      '"needs" has the fields that are computed with.',
      "needs: ['name'], or [] for none",
    )
  for (const [index, need] of field.needs.entries()) checkNeed(need, collection, [...path, 'needs', index])
  return { ...extra, resolve: field.resolve, needs: [...new Set(field.needs)] }
}

function checkNeed(need: unknown, { name, fields }: Collection, path: Path): void {
  const found = typeof need === 'string' ? fields.get(need) : undefined
  const values = [...fields.values()].filter((field) => !isToMany(field)).map((field) => field.name)
  if (!found)
    throw wrong(path, `There is no field ${quote(need)} in ${quote(name)}.`, suggestion(String(need), values))
  if (isToMany(found))
    throw wrong(
      path,
      `${quote(need)} leads to other items, and has no value that is needed.`,
      suggestion(String(need), values),
    )
}

function extraOf(
  name: string,
  { type, args = {}, note, resolve }: GraphQLExtraQuery | GraphQLExtraField,
  path: Path,
) {
  if (!isGraphQLName(name))
    throw wrong(path, `A name of GraphQL has letters, digits and "_", unlike ${quote(name)}.`)
  if (typeof resolve !== 'function')
    throw wrong([...path, 'resolve'], '"resolve" is the function that computes the field.')
  const written = typeAt([...path, 'type'], type)
  const checkedArgs = Object.entries(args).map(([argument, input]) => {
    const at = [...path, 'args', argument]
    if (!isGraphQLName(argument))
      throw wrong(at, `A name of GraphQL has letters, digits and "_", unlike ${quote(argument)}.`)
    return [argument, typeAt(at, input)] as const
  })
  return { name, type: written, args: checkedArgs, note, shown: shownAs(written) }
}

function typeAt(path: Path, input: unknown): string {
  const type = typeof input === 'string' ? extraType(input) : undefined
  if (type !== undefined) return type
  throw wrong(
    path,
    `A type is one of ${extraScalars.join(', ')}, or a list of it, not ${quote(input)}.`,
    "type: 'String', or '[Int!]'",
  )
}

const wrong = (path: Path, message: string, hint?: string): EngineError =>
  fault('INVALID_OPTIONS', message, { path, hint })
