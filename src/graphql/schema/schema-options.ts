import { checkOptions, flag, type OptionKind, optionNames } from '../../errors/check-options.ts'
import { fault, quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import type { Schema } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { memoFor } from '../../values/memo.ts'
import type { GraphQLExtend } from './extra/extend-options.ts'
import { type Extensions, extensionsOf } from './extra/extensions.ts'
import { isGraphQLName } from './names/graphql-name.ts'

/** Options of a GraphQL schema. */
export interface GraphQLSchemaOptions<S = Schema> {
  /** Other names of collections and fields, and scalars of values. */
  readonly names?: GraphQLNames | undefined
  /** Fields that you compute, beside those of the collections. */
  readonly extend?: GraphQLExtend<S> | undefined
  /** True if it has subscriptions, which `createGraphQLSocket` answers. By default false. */
  readonly subscriptions?: boolean | undefined
}

/** The same options, of whatever schema. */
export interface SchemaInput {
  /** Other names of collections and fields, and scalars of values. */
  readonly names?: GraphQLNames | undefined
  /** Fields that the host computes, beside those of the collections. */
  readonly extend?: object | undefined
  readonly subscriptions?: boolean | undefined
}

/** Names in GraphQL, where those of the schema will not do. */
export interface GraphQLNames {
  /** New names of collections and fields: `{ 'blog posts': 'posts', 'posts.2nd_title': 'second_title' }`. */
  readonly rename?: Readonly<Record<string, string>>
  /** Scalars of values, where there is a choice. */
  readonly scalars?: {
    /** The scalar of exact decimals: `Float` by default, with which clients may lose digits; `String` keeps them. */
    readonly decimal?: 'Float' | 'String'
  }
}

/** The options as the library uses them. */
export interface SchemaSettings {
  readonly renames: ReadonlyMap<string, string>
  readonly decimal: 'Float' | 'String'
  readonly extensions: Extensions
  readonly hasSubscriptions: boolean
  /** A text that is equal for settings that make equal schemas. */
  readonly text: string
}

const record: OptionKind = { holds: isRecord, says: 'is an object' }
const ofSchema = optionNames<SchemaInput>({ names: record, extend: record, subscriptions: flag })
const ofNames = optionNames<GraphQLNames>({ rename: record, scalars: record })
const ofScalars = optionNames<NonNullable<GraphQLNames['scalars']>>({
  decimal: {
    holds: (input) => input === 'Float' || input === 'String',
    says: 'is "Float" or "String"',
  },
})

/** Returns the settings for options, which are checked once: they come with each request. */
export function settingsFor(
  { names = none, extend = none, subscriptions }: SchemaInput,
  schema: Schema,
): SchemaSettings {
  if (!isRecord(names) || !isRecord(extend)) return schemaSettings({ names, extend, subscriptions }, schema)
  const checked = subscriptions ? checkedWithEvents : checkedWithout
  const settings = memoFor(checked, schema, () => new WeakMap<object, WeakMap<object, SchemaSettings>>())
  const named = memoFor(settings, names, () => new WeakMap<object, SchemaSettings>())
  return memoFor(named, extend, () => schemaSettings({ names, extend, subscriptions }, schema))
}

const none = {}
type CheckedSettings = WeakMap<Schema, WeakMap<object, WeakMap<object, SchemaSettings>>>
const checkedWithEvents: CheckedSettings = new WeakMap()
const checkedWithout: CheckedSettings = new WeakMap()

/** Checks options. A new name has to be one in GraphQL, and the name that it replaces has to be there. */
export function schemaSettings(options: SchemaInput, schema: Schema): SchemaSettings {
  checkOptions(options, ofSchema)
  const { rename = {}, scalars = {} } = options.names ?? {}
  if (options.names) checkOptions(options.names, ofNames, ['names'])
  checkOptions(scalars, ofScalars, ['names', 'scalars'])
  const renames = Object.entries(rename).filter(([, name]) => name !== undefined)
  for (const [name, input] of renames) checkRenaming(name, input, schema)
  const { decimal = 'Float' } = scalars
  const extensions = extensionsOf(options.extend, schema)
  const { subscriptions: hasSubscriptions = false } = options
  const text = JSON.stringify([decimal, renames.sort(), extensions.text, hasSubscriptions])
  return { renames: new Map(renames), decimal, extensions, hasSubscriptions, text }
}

function checkRenaming(name: string, input: unknown, { collections }: Schema): void {
  const path = ['names', 'rename', name]
  const [collection = '', field] = name.split('.')
  const fields = collections.get(collection)?.fields
  const legal = field === undefined || !fields ? collections : fields
  if (!legal.has(fields && field !== undefined ? field : collection))
    throw fault('INVALID_OPTIONS', `There is no collection or field ${quote(name)} to be renamed.`, {
      path,
      hint: suggestion(field ?? collection, legal.keys()),
    })
  if (typeof input !== 'string' || !isGraphQLName(input))
    throw fault('INVALID_OPTIONS', `A name of GraphQL has letters, digits and "_", unlike ${quote(input)}.`, {
      path,
    })
}
