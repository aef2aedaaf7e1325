// Explanations over HTTP, with the host's leave: they say how a query runs, and what the rules of its caller are.
import { type Action, actions } from '../../access/access.ts'
import { visibleActions } from '../../access/visible-actions.ts'
import { actionContext } from '../../engine/action-context.ts'
import { type Engine, type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { type Explanation, explainItems } from '../../items/explain.ts'
import { type AccessExplanation, explainAccess } from '../../items/read/explain-access.ts'
import { rootCollection } from '../../plan/resolve-name.ts'
import { parseQuery } from '../../query/parse.ts'
import { isRecord } from '../../values/guards.ts'
import type { HandlerOptions } from '../handler-options.ts'
import { type Incoming, json, type RouteFunction } from '../messages.ts'
import { readObject } from '../request-input.ts'

/** Returns the function that explains a query or the rights of its caller, if the host allows it to them. */
export const explaining =
  (leave: NonNullable<HandlerOptions['explain']>, request: () => Request): RouteFunction =>
  async (engine, incoming) => {
    const { scope } = internalsOf(engine)
    const isAllowed = typeof leave === 'function' ? await leave(scope?.access ?? {}, request()) : leave
    if (isAllowed !== true) throw fault('FORBIDDEN', 'You may not ask for explanations.')
    const data = await explained(engine, await readObject(incoming), incoming.options)
    return json(JSON.stringify({ data }, plainMember), 200, { 'cache-control': 'no-store' })
  }

/** Explains a query, or with an action the rights of the caller. */
export async function explained(
  engine: Engine,
  input: Readonly<Record<string, unknown>>,
  options: Incoming['options'],
): Promise<Explanation | AccessExplanation> {
  const { collection, query = {}, database = false, action, ...others } = input
  const [other] = Object.keys(others)
  const isOfAccess = action !== undefined && input.query === undefined && input.database === undefined
  if (other !== undefined || typeof collection !== 'string' || (action !== undefined && !isOfAccess))
    throw fault(
      'INVALID_PAYLOAD',
      'To explain, send { collection, query, database? } or { collection, action }.',
      {
        ...(other !== undefined && { path: [other] }),
      },
    )
  if (typeof database !== 'boolean')
    throw fault('INVALID_PAYLOAD', `"database" is true or false, not ${quote(database)}.`, {
      path: ['database'],
    })
  if (!isOfAccess) {
    const parsed = isRecord(query) ? parseQuery(query, { limits: internalsOf(engine).limits }) : undefined
    if (!parsed) throw fault('INVALID_PAYLOAD', '"query" is a JSON object.', { path: ['query'] })
    return explainItems(engine, collection, parsed, { ...options, database })
  }
  refuseHidden(internalsOf(engine), collection)
  return explainAccess(engine, collection, actionNamed(action))
}

/** Refuses a collection in which the caller may do nothing like one that is not there. */
function refuseHidden(engine: EngineInternals, name: string): void {
  if (!visibleActions(actionContext(engine)).has(name)) rootCollection(engine.schema, name)
}

function actionNamed(input: unknown): Action {
  const found = actions.find((action) => action === input)
  if (found) return found
  throw fault('INVALID_PAYLOAD', `There is no action ${quote(input)}; there are ${actions.join(', ')}.`, {
    path: ['action'],
  })
}

/** Returns a member as JSON holds it: parameters of statements may be big numbers. */
const plainMember = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value
