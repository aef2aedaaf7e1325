// Types of the results of reads, derived from the literals of a schema and a query. If the compiler does not see them, the types claim
// nothing.
import type { internals } from '../../engine/engine.ts'
import type { Mistake } from '../../schema/check-types.ts'
import type { CollectionName, DefinitionOf, FieldsOf } from '../../schema/infer.ts'
import type { FieldType } from '../../types/families.ts'
import type { NamesIn, Straight } from './field-names.ts'
import type { Nothing, WordOf } from './field-values.ts'
import type { Grouped, IsGrouping } from './groups.ts'
import type { IsHidden } from './hidden.ts'
import type { Selected } from './selection.ts'

/** Result of a list: its items, and the metadata that `meta` requests.
 *  @example const all: ListAnswer<typeof schema, 'articles', { fields: ['title'] }> = { data: [{ title: 'Tea' }] } */
export type ListAnswer<S, C extends CollectionName<S>, Q> = Q extends unknown
  ? 'meta' extends keyof Q
    ? ListWith<ItemAnswer<S, C, Q>, IsHidden<Q, 'meta'>, NamesIn<Q['meta']>>
    : { data: ItemAnswer<S, C, Q>[] }
  : never

type ListWith<Item, Hidden, Name> = Hidden extends true
  ? { data: Item[]; meta?: Partial<Meta> }
  : string extends Name
    ? { data: Item[]; meta?: Partial<Meta> }
    : [Name] extends [never]
      ? { data: Item[] }
      : {
          data: Item[]
          meta: {
            [Each in ('*' extends Name
              ? Exclude<keyof Meta | Name, '*' | 'cursors'> | (Name & 'cursors')
              : Name) &
              string]: Each extends keyof Meta ? Meta[Each] : Mistake<`meta has no '${Each}'`>
          }
        }

/** Metadata of a list. */
export interface Meta {
  /** Number of items visible to the caller. */
  total_count: number
  /** Number of those that match the filter and the search. */
  filter_count: number
  limit: number
  offset: number
  page: number
  page_count: number
  /** Paths of the lists that were truncated by a default or maximum limit; the root is an empty text. */
  truncated: string[]
  /** Cursors of the first and the last item, and whether there are more items in the direction of the page. */
  cursors: { first: string | null; last: string | null; has_more: boolean }
}

/** Item as a query shapes it, by `fields`, `alias`, `deep`, `aggregate` and `groupBy`.
 *  @example const one: ItemAnswer<typeof schema, 'articles', { fields: ['author.name'] }> = { author: { name: 'Ada' } } */
export type ItemAnswer<S, C extends CollectionName<S>, Q> = AnswerIn<DefinitionOf<S>, C, Q>

type AnswerIn<D, C, Q> = Q extends undefined
  ? Selected<D, C, '*', Nothing, Nothing, true>
  : IsHidden<Q, ShapingWord> extends true
    ? Record<string, unknown>
    : IsGrouping<Q, ''> extends true
      ? Grouped<D, C, Q, ''>
      : ItemWith<D, C, Q, WordOf<Q, 'fields'>>

type ShapingWord = 'fields' | 'alias' | 'deep' | 'aggregate' | 'groupBy' | 'backlink'

/** Item of a query with one list of fields or another: one shape or the other. */
type ItemWith<D, C, Q, Fields> = Fields extends unknown
  ? Selected<D, C, PathsIn<NamesIn<Fields>>, WordOf<Q, 'alias'>, WordOf<Q, 'deep'>, BackOf<Q>>
  : never

type PathsIn<Name> = [Name] extends [never] ? '*' : Straight<Name>
type BackOf<Q> = Q extends { readonly backlink: false } ? '' : true

/** Result for a singleton. While it has no row, it has its defaults and a null key, so only fields with a default are never null.
 *  @example const site: SingletonAnswer<typeof schema, 'settings', { fields: ['id', 'title'] }> = { id: null, title: 'Untitled' } */
export type SingletonAnswer<S, C extends CollectionName<S>, Q> = AnswerIn<Unwritten<DefinitionOf<S>, C>, C, Q>

/** Definition with a collection whose fields may have no value. */
type Unwritten<D, C> = {
  [Name in keyof D]: Name extends C ? { readonly fields: UnwrittenFields<FieldsOf<D, Name>> } : D[Name]
}

type UnwrittenFields<Fields> = {
  [Name in keyof Fields]: IsSure<Fields[Name]> extends true
    ? Fields[Name]
    : {
        [Option in keyof Fields[Name] | 'nullable']: Option extends 'nullable'
          ? true
          : Option extends keyof Fields[Name]
            ? Fields[Name][Option]
            : never
      }
}

/** True if a field has a value even before there is an item: lists are empty then, and a default is there. */
type IsSure<Field> = Field extends { readonly key: true }
  ? false
  : Field extends { readonly type: 'o2m' | 'm2m' | 'm2a' }
    ? true
    : Field extends { readonly type: FieldType; readonly default: string | number | boolean | object }
      ? true
      : false

/** Caller of an engine, as the compiler knows it. */
export interface OfWhom<Whose> {
  readonly [internals]: { readonly scope: Whose }
}

/** Result in place of an item that is hidden from its writer: only a narrowed engine has a limited view. */
export type NotVisible<Whose> = undefined extends Whose ? never : null
