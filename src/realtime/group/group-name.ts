// Names of groups: subscriptions with the same name receive the same messages.

import { textOfRules } from '../../access/rules-text.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { conditionsFor } from '../../items/watch/collections-in.ts'
import type { WatchedQuery } from '../watched-query.ts'

/** Returns the name of the group of a query and a caller; undefined if it cannot be shared: hooks on reads know who asks, and a value that no
 *  text can hold is equal to no other. */
export function groupName(
  { collection, query, membership }: WatchedQuery,
  caller: EngineInternals,
): string | undefined {
  const { scope, hooks } = caller
  if (hooks.of('before', 'items.read', collection).length > 0) return undefined
  if (hooks.of('after', 'items.read', collection).length > 0) return undefined
  const queryText = textOfRules(query)
  const rules = scope?.permissions ? scope.permissions.text : everything
  if (queryText === undefined || rules === undefined) return undefined
  const isOfCaller = [queryText, rules, conditionsFor(caller)].some(usesVariables)
  const whose = isOfCaller ? callerText(scope?.ruleCaller) : ''
  return whose === undefined ? undefined : JSON.stringify([membership, collection, queryText, rules, whose])
}

/** Rules of a caller who may see everything. No rules look like it. */
const everything = ''

/** True if a text may have a variable. Any other with its sign costs a group of its own. */
const usesVariables = (text: string): boolean => text.includes('$')

/** Returns the text of a caller, which is the same for equal ones; undefined if no text can hold it. */
export const callerText = (caller: object | undefined): string | undefined =>
  textOfRules(Object.fromEntries(Object.entries(caller ?? {}).filter(([, value]) => value !== undefined)))

/** Returns the text of a caller for tokens: a user is known by its name, and a caller without one by all that is known; undefined if no text can hold it. */
export const tokenCaller = ({ scope }: EngineInternals): string | undefined =>
  callerText(
    scope?.caller.user === undefined || scope.caller.user === null
      ? scope?.caller
      : { user: scope.caller.user },
  )
