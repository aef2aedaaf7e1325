import type { ChildrenOf, CollectionName, DefinitionOf, FieldsOf } from '../schema/infer.ts'
import type { aggregates } from '../vocabulary/aggregates.ts'
import type { FilterOn, WordsOn } from './filter-types.ts'
import type { HavingOn } from './having-types.ts'
import type { MetaName } from './meta.ts'
import type { PlainQuery } from './query.ts'

/** A query of a collection.
 *  @example const query: Query<typeof schema, 'articles'> = { fields: ['title', 'author.name'], sort: '-published_at', limit: 5 } */
// Its variance is declared, because the compiler would otherwise find out by comparing everything in it with itself.
export interface Query<in out S, in out C extends CollectionName<S>> extends QueryLevel<C, DefinitionOf<S>> {
  /** The fields of each item, with paths behind relations: `['title', 'author.name']`. By default `*`. */
  fields?: FieldNames<OwnCollectionName<C, DefinitionOf<S>> | '*'>
  /** Parameters for related items, by the relation's name: `{ comments: { _limit: 3 } }`. */
  deep?: Deep<C, DefinitionOf<S>>
  /** The format of an export. */
  export?: ExportFormatName
  /** The metadata of a list: counts, and what was truncated. */
  meta?: FieldNames<MetaName | '*'>
  /** The version of an item to read, by its key. */
  version?: string
  /** Answers the stored delta of the version instead of the item with it. */
  versionRaw?: boolean
}

export const exportFormats = ['csv', 'json', 'ndjson', 'xml', 'yaml'] as const
type ExportFormatName = (typeof exportFormats)[number]

/** Parameters of the root and, with an underscore before each word, of every relation below. */
interface QueryLevel<C, D> {
  /** The condition that items meet: `{ status: 'draft', author: { name: { _contains: 'a' } } }`. */
  filter?: FilterOn<C, D>
  /** A text that some field of an item contains. */
  search?: string
  /** The fields by which items are sorted; with a minus, downwards: `['-published_at', 'title']`. */
  sort?: FieldNames<OwnCollectionName<C, D> | `-${OwnCollectionName<C, D>}`>
  /** The most items that are returned; -1 = as many as allowed. */
  limit?: number
  /** The number of items that are left out first. */
  offset?: number
  /** The page of `limit` items, from 1. */
  page?: number
  /** The cursor of the item after which the page begins. */
  after?: string
  /** The cursor of the item before which the page ends. */
  before?: string
  /** What is computed of all items, or of each group: `{ count: '*', sum: ['views'] }`. */
  aggregate?: Aggregates<C, D>
  /** The fields whose values make groups: `['status', 'year(published_at)']`. */
  groupBy?: FieldNames<OwnCollectionName<C, D>>
  /** The condition that groups meet, on their aggregates: `{ count: { _gt: 1 } }`. */
  having?: HavingOn<C, D>
  /** Other names for fields: `{ newest: 'comments' }`. */
  alias?: { [name: string]: string }
  /** False: wildcards do not lead back over the relation that led here. */
  backlink?: boolean
}

/** The parameters of a relation, without those of the relations below it. */
// Each is written down, since a name that a mapped type makes has no sentence in editors.
export interface DeepWords<C, D> {
  /** The condition that related items meet: `{ status: 'draft' }`. */
  _filter?: QueryLevel<C, D>['filter']
  /** A text that some field of a related item contains. */
  _search?: string
  /** The fields by which related items are sorted; with a minus, downwards: `['-published_at', 'title']`. */
  _sort?: QueryLevel<C, D>['sort']
  /** The most related items that are returned for each item; -1 = as many as allowed. */
  _limit?: number
  /** The number of related items of each item that are left out first. */
  _offset?: number
  /** The page of `_limit` related items, from 1. */
  _page?: number
  /** The cursor of the related item after which the page of each item begins. */
  _after?: string
  /** The cursor of the related item before which the page of each item ends. */
  _before?: string
  /** What is computed of all related items of an item, or of each group: `{ count: '*', sum: ['views'] }`. */
  _aggregate?: QueryLevel<C, D>['aggregate']
  /** The fields whose values make groups of the related items: `['status', 'year(published_at)']`. */
  _groupBy?: QueryLevel<C, D>['groupBy']
  /** The condition that groups meet, on their aggregates: `{ count: { _gt: 1 } }`. */
  _having?: QueryLevel<C, D>['having']
  /** Other names for fields of the related items: `{ newest: 'comments' }`. */
  _alias?: { [name: string]: string }
  /** False: wildcards do not lead back over this relation. */
  _backlink?: boolean
}

type Aggregates<C, D> = {
  -readonly [Word in keyof typeof aggregates]?: FieldNames<OwnCollectionName<C, D> | '*'>
}

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

export interface RelatedField {
  readonly type: 'm2o' | 'o2m' | 'm2m' | 'm2a'
}
/** The collection to which a relation leads. */
export type TargetOf<Field> = Field extends { readonly type: 'm2o'; readonly to: infer To }
  ? To
  : ChildrenOf<Field>

type DeepScopes<Scopes extends string, D> = {
  [Scope in Scopes]?: Scope extends `${string}:${infer To}` ? DeepLevel<To, D> : never
}

export type ScopesOf<Fields> = Extract<WordsOn<Fields>, `${string}:${string}`>

// An alias may have any name, so the value of an unknown one is checked by the parser.
interface DeepAliases {
  [alias: string]: unknown
}

type DeepLevel<C, D> = DeepWords<C, D> & Deep<C, D>

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
