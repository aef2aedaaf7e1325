// The types of queries, mapped from a schema.
import type { ChildrenOf, CollectionName, DefinitionOf, FieldsOf } from '../schema/infer.ts'
import type { AggregateName } from '../vocabulary/aggregates.ts'
import type { FilterOn, WordsOn } from './filter-types.ts'
import type { HavingOn } from './having-types.ts'
import type { MetaName } from './meta.ts'
import type { PlainQuery } from './query.ts'

/** A query of a collection.
 *  @example const query: Query<typeof schema, 'articles'> = { fields: ['title', 'author.name'], sort: '-published_at', limit: 5 } */
// Its variance is declared, because the compiler would otherwise find out by comparing everything in it with itself.
export interface Query<in out S, in out C extends CollectionName<S>> extends QueryLevel<C, DefinitionOf<S>> {
  fields?: FieldNames<OwnCollectionName<C, DefinitionOf<S>> | '*'>
  deep?: Deep<C, DefinitionOf<S>>
  export?: ExportFormatName
  meta?: FieldNames<MetaName | '*'>
  version?: string
  versionRaw?: boolean
}

export const exportFormats = ['csv', 'json', 'ndjson', 'xml', 'yaml'] as const
type ExportFormatName = (typeof exportFormats)[number]

/** Parameters of the root and, with an underscore before each word, of every relation below. */
interface QueryLevel<C, D> {
  filter?: FilterOn<C, D>
  search?: string
  sort?: FieldNames<OwnCollectionName<C, D> | `-${OwnCollectionName<C, D>}`>
  limit?: number
  offset?: number
  page?: number
  aggregate?: Aggregates<C, D>
  groupBy?: FieldNames<OwnCollectionName<C, D>>
  having?: HavingOn<C, D>
  alias?: { [name: string]: string }
  backlink?: boolean
}

type Aggregates<C, D> = { [Word in AggregateName]?: FieldNames<OwnCollectionName<C, D> | '*'> }

type OwnCollectionName<C, D> = keyof FieldsOf<D, C> & string

/** A list, or its comma-separated text. Paths, functions and aliases are valid too; the own names are there for
 *  completion in editors. */
type FieldNames<Own extends string> = readonly (Own | (string & {}))[] | Own | (string & {})

/** Parameters for the relations of a level, by the relation's name, its scope, or an alias. */
type Deep<C, D> = DeepRelations<FieldsOf<D, C>, D> & DeepScopes<ScopesOf<FieldsOf<D, C>>, D> & DeepAliases

type DeepRelations<Fields, D> = {
  -readonly [Name in keyof Fields as Fields[Name] extends RelatedField ? Name : never]?: DeepLevel<
    TargetOf<Fields[Name]>,
    D
  >
}

interface RelatedField {
  readonly type: 'm2o' | 'o2m' | 'm2m' | 'm2a'
}
type TargetOf<Field> = Field extends { readonly type: 'm2o'; readonly to: infer To } ? To : ChildrenOf<Field>

type DeepScopes<Scopes extends string, D> = {
  [Scope in Scopes]?: Scope extends `${string}:${infer To}` ? DeepLevel<To, D> : never
}

type ScopesOf<Fields> = Extract<WordsOn<Fields>, `${string}:${string}`>

// An alias may have any name, so the value of an unknown one is checked by the parser.
interface DeepAliases {
  [alias: string]: unknown
}

type DeepLevel<C, D> = UnderscoredNames<QueryLevel<C, D>> & Deep<C, D>

type UnderscoredNames<Words> = { [Word in keyof Words & string as `_${Word}`]?: Words[Word] }

declare const parsed: unique symbol

/** A filter that `parseQuery` has read. It can be used as a filter of any collection. */
// No interface: an interface might be extended, so the compiler would not accept it as a type without other names.
export type ParsedFilter = Readonly<Record<typeof parsed, true>>

/** Conditions on groups that `parseQuery` has read. They name a word of theirs, since none of them is required. */
type ParsedHaving = ParsedFilter & { readonly _and?: never }

type ParsedDeep = Readonly<Record<typeof parsed, true>>

/** A query whose shape `parseQuery` has checked. Its names are checked when it is used. */
export interface ParsedQuery extends Omit<PlainQuery, 'filter' | 'having' | 'deep' | 'export'> {
  readonly [parsed]: true
  readonly filter?: ParsedFilter
  readonly having?: ParsedHaving
  readonly deep?: ParsedDeep
  readonly export?: ExportFormatName
}
