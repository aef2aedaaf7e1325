// Explanations, where the host lets the caller ask for them.

import type { Action } from '../access/access.ts'
import type { Explanation } from '../items/explain.ts'
import type { AccessExplanation } from '../items/read/explain-access.ts'
import type { ParsedQuery, Query } from '../query/types.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { Client } from './connect.ts'
import { jsonOf, parametersOf } from './json.ts'
import { ask } from './request.ts'
import type { RequestOptions } from './request-options.ts'

/** Options of an explanation over HTTP. */
export interface ExplainRequest extends RequestOptions {
  /** True to include the database's own query plan. */
  readonly database?: boolean | undefined
}

/** Explains what `listItems` would do, without doing it, where the host has set `explain`.
 *  @example const tea = { fields: ['title'], filter: { id: 1 } } as const
 *  const { databasePlan } = await explainItems(api, 'articles', tea, { database: true })
 *  databasePlan // → ['SEARCH _q1 USING INTEGER PRIMARY KEY (rowid=?)'] */
export const explainItems = async <S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  query?: Query<S, C> | ParsedQuery,
  { database, ...options }: ExplainRequest = {},
): Promise<Explanation> => explain(api, { collection, query: parametersOf(query), database }, options)

/** Explains the permissions of the caller for a collection, where the host has set `explain`.
 *  @example const { allowed, rules } = await explainAccess(api, 'tags', 'delete')
 *  allowed // → true
 *  rules // → [{ fields: ['id', 'name'] }] */
export const explainAccess = async <S extends Schema, C extends CollectionName<S>>(
  api: Client<S>,
  collection: C,
  action: Action,
  options?: RequestOptions,
): Promise<AccessExplanation> => explain(api, { collection, action }, options)

const explain = <Result>(api: Client, members: object, options?: RequestOptions): Promise<Result> =>
  ask(api, { method: 'POST', path: '/explain', body: jsonOf(members), isRead: true }, options)
