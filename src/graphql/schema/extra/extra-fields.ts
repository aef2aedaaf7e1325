import type { GraphQLFieldConfig } from 'graphql'
import { type NameMeaning, withMeaning } from '../meaning.ts'
import type { ExtraOutline } from '../outline/extra-outline.ts'
import type { CollectionOutline } from '../outline/outline.ts'
import type { SchemaTypes } from '../schema-types.ts'
import { typeOfText } from './extra-types.ts'

type ExtraConfigs = readonly (readonly [string, GraphQLFieldConfig<unknown, unknown>])[]

export const extraQueries = (all: readonly ExtraOutline[], types: SchemaTypes): ExtraConfigs =>
  extras(all, types, ({ name }) => ({ extraQuery: name }))

export const extraFields = (
  { name: collection, extras: all = [] }: CollectionOutline,
  types: SchemaTypes,
): ExtraConfigs => extras(all, types, ({ name, needs }) => ({ extra: name, collection, needs }))

const extras = (
  all: readonly ExtraOutline[],
  { has }: SchemaTypes,
  meaning: (extra: ExtraOutline) => NameMeaning,
): ExtraConfigs =>
  all
    .filter(({ name }) => has(name))
    .map((extra) => [
      extra.name,
      {
        type: typeOfText(extra.type),
        args: Object.fromEntries(extra.args.map(([name, type]) => [name, { type: typeOfText(type) }])),
        description: extra.note,
        extensions: withMeaning(meaning(extra)),
      },
    ])
