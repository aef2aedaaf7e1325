import type { Expression, SqlBool } from 'kysely'
import { rowsSeen, viewIn } from '../access/caller-scope.ts'
import { phrasesOf } from '../dialects/named.ts'
import { driverValues, render, type Sql, sql, toExpression } from '../dialects/sql.ts'
import { checkOptions, optionNames, text } from '../errors/check-options.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import type { Filter } from '../query/filter-types.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { filterSql } from '../sql/filter.ts'
import { Aliases, type Frame } from '../sql/frame.ts'
import { rowsShown } from '../sql/view.ts'
import { type FilterScope, filterScope } from './filter-scope.ts'
import {
  type EngineSource,
  type FilterContext,
  filterContextKinds,
  meaningOf,
  type SchemaAndDialect,
  settingsOf,
} from './filter-source.ts'
import { permissionsOf } from './permissions-of.ts'
import { readPredicate } from './read-predicate.ts'

/** Values that are known only when a filter is used, and the table's alias there. */
export interface CompileContext extends FilterContext {
  /** Alias of the collection's table in the host's query. By default the table's own name. */
  readonly alias?: string
}

const compileContext = /* @__PURE__ */ optionNames<CompileContext>({ ...filterContextKinds, alias: text })

/** A filter compiled to SQL. */
export interface CompiledFilter {
  /** Expression for `.where(…)` of any Kysely query over the collection's table. */
  readonly expression: Expression<SqlBool>
  /** The condition alone, as text. */
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** Compiles a filter to SQL, with an engine or with no more than a schema and a dialect.
 *  @example const { sql, parameters } = compileFilter(engine, 'articles', { title: 'Tea' })
 *  sql // → '"articles"."title" = ?'
 *  parameters // → ['Tea'] */
export function compileFilter<S extends Schema, C extends CollectionName<S>>(
  source: SchemaAndDialect<S> | EngineSource<S>,
  collection: C,
  filter: Filter<S, C>,
  context: CompileContext = {},
): CompiledFilter {
  checkOptions(context, compileContext)
  const settings = settingsOf(source)
  const scope = filterScope(settings, context, permissionsOf)
  const root = rootCollection(scope.schema, collection)
  const predicate = readPredicate(filter, root, settings, { ...scope, use: 'query' })
  const frame = frameIn(root, settings, scope, context)
  // Before the condition: rules also decide on which rows a column is shown.
  const visible = visibleRows(frame, scope)
  const matching = filterSql(predicate, frame)
  const condition = visible ? sql`(${visible} and ${matching})` : matching
  const { sql: text, parameters } = render(condition, frame.setting.dialect)
  return { expression: toExpression<SqlBool>(condition), sql: text, parameters: driverValues(parameters) }
}

/** Returns the frame of a collection's table in the host's query. */
function frameIn(
  collection: Collection,
  source: SchemaAndDialect,
  { permissions, circumstances }: FilterScope,
  { alias }: CompileContext,
): Frame {
  const dialect = phrasesOf(source.dialect)
  return {
    collection,
    alias: alias === undefined ? dialect.identifier(collection.table) : sql.host(alias),
    columns: new Map(),
    setting: { ...meaningOf(source), dialect, rowsOf: permissions && rowsSeen(permissions, circumstances) },
    aliases: new Aliases(dialect, alias ?? collection.table),
    joins: undefined,
    isDerived: false,
    isOptional: false,
  }
}

/** Returns the rules about rows: the host reads its table itself, so they become a part of the condition. */
function visibleRows(frame: Frame, { permissions, circumstances }: FilterScope): Sql | undefined {
  const view = permissions && viewIn(frame.collection, permissions, circumstances)
  return view && rowsShown(view, frame)
}
