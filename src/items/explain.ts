import { render } from '../dialects/sql.ts'
import { type Engine, internalsOf } from '../engine/engine.ts'
import { checkOptions, flag, optionNames } from '../errors/check-options.ts'
import { callKinds, type Options } from '../execution/database.ts'
import { execute } from '../execution/execute.ts'
import { stepIn } from '../execution/plan-steps.ts'
import { prepare } from '../prepared/prepare.ts'
import { bindStatement } from '../prepared/templates/template.ts'
import type { ParsedQuery, Query } from '../query/types.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { withCallerVariables } from './caller-variables.ts'
import { withCursorValues } from './read/cursor-values.ts'
import { type Outline, outlineOf } from './read/explain-plan.ts'
import { listRequest } from './read/read-request.ts'

/** Explanation of a list query. */
export interface Explanation {
  /** The only statement of the list. */
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Plan of the query. */
  readonly plan: Outline
  /** True if a reader of `quernel/sqlite` runs the statement. */
  readonly reader?: true
  /** Reason for that: `scan of orders`. */
  readonly because?: string
  /** Query plan of the database, in its own words. */
  readonly databasePlan?: readonly string[]
}

/** Options of `explainItems`. */
interface ExplainOptions extends Options {
  /** True to include the database's own query plan. */
  readonly database?: boolean
}

const explainOptions = optionNames<ExplainOptions>({ ...callKinds, database: flag })

/** Explains what `listItems` would do, without doing it.
 *  @example const tea = { fields: ['title'], filter: { id: 1 } }
 *  const { databasePlan } = await explainItems(engine, 'articles', tea, { database: true })
 *  databasePlan // → ['SEARCH _q1 USING INTEGER PRIMARY KEY (rowid=?)'] */
export async function explainItems<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  query?: Query<S, C> | ParsedQuery,
  options: ExplainOptions = {},
): Promise<Explanation> {
  const core = internalsOf(engine)
  checkOptions(options, explainOptions)
  const scoped = (await withCallerVariables(core, query)).reading()
  const known = await withCursorValues(scoped, { collection, query })
  const prepared = prepare(listRequest(scoped, collection, known, 'list'), scoped)
  const { template, boundValues } = prepared
  const { sql, parameters } = bindStatement(template.rows, boundValues)
  const because = scoped.readers?.()?.placeOf(sql, parameters)?.reason
  const explained = {
    sql,
    parameters,
    plan: outlineOf(template.list),
    ...(because !== undefined && { reader: true as const, because }),
  }
  if (!options.database) return explained
  const explain = render(scoped.dialect.explain, scoped.dialect).sql
  const { database: _database, ...reading } = options
  const rows = await execute(scoped, { sql: `${explain}${sql}`, parameters }, reading)
  return { ...explained, databasePlan: rows.map(stepIn) }
}
