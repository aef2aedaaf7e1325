// Types of events, which subscriptions send.
import { GraphQLEnumType, GraphQLNonNull, GraphQLObjectType } from 'graphql'
import { withMeaning } from './meaning.ts'
import { eventKinds } from './names/reserved-types.ts'
import { eventName } from './names/type-names.ts'
import type { CollectionOutline } from './outline/outline.ts'
import { scalars } from './scalars.ts'
import type { SchemaTypes } from './schema-types.ts'

export const eventKind = new GraphQLEnumType({
  name: eventKinds,
  values: { create: {}, update: {}, delete: {} },
})

export const eventType = ({ name, type }: CollectionOutline, types: SchemaTypes): GraphQLObjectType =>
  new GraphQLObjectType({
    name: eventName(type),
    fields: () => ({
      key: { type: new GraphQLNonNull(scalars.ID), extensions: withMeaning({ event: 'key' }) },
      event: { type: eventKind, extensions: withMeaning({ event: 'event' }) },
      data: { type: types.item(name), extensions: withMeaning({ event: 'data' }) },
    }),
  })
