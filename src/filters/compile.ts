import type { Expression, SqlBool } from 'kysely'
import { rowsSeen, viewIn } from '../access/caller-scope.ts'
import { render, settled, sql, toExpression } from '../dialects/sql.ts'
import { checkOptions, optionNames, text } from '../errors/check-options.ts'
import type { Filter } from '../query/filter-types.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { filterSql } from '../sql/filter.ts'
import { Aliases, type Frame } from '../sql/frame.ts'
import { rowsShown } from '../sql/view.ts'
import { type FilterContext, meansOf, occasionKinds, predicateOf, type Spoken, speech } from './setting.ts'

/** Values that are known only when a filter is used, and the table's alias there. */
export interface CompileContext extends FilterContext {
  /** Alias of the collection's table in the host's query. By default the table's own name. */
  readonly alias?: string
}

const compileContext = optionNames<CompileContext>({ ...occasionKinds, alias: text })

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
  given: Spoken<S>,
  collection: C,
  filter: Filter<S, C>,
  context: CompileContext = {},
): CompiledFilter {
  checkOptions(context, compileContext)
  const {
    collection: root,
    predicate,
    circumstances,
    limits,
  } = predicateOf(given, collection, filter, context, 'query')
  const dialect = speech(given)
  const frame: Frame = {
    collection: root,
    alias: context.alias === undefined ? dialect.identifier(root.table) : sql.host(context.alias),
    columns: new Map(),
    setting: { ...meansOf(given), dialect, rowsOf: limits && rowsSeen(limits, circumstances) },
    aliases: new Aliases(dialect, context.alias ?? root.table),
    joins: undefined,
    isDerived: false,
    isOptional: false,
  }
  const view = limits && viewIn(root, limits, circumstances)
  // The host reads its table itself, so the rules about rows become a part of the condition.
  const seen = view && rowsShown(view, frame)
  const asked = filterSql(predicate, frame)
  const condition = seen ? sql`(${seen} and ${asked})` : asked
  const { sql: text, parameters } = render(condition, dialect)
  return { expression: toExpression<SqlBool>(condition), sql: text, parameters: settled(parameters) }
}
