import type { EngineInternals } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { rootCollection } from '../../plan/resolve-name.ts'
import type { ReadRequest, Verb } from '../../prepared/plan-request.ts'
import { isRecord } from '../../values/guards.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { requireName } from '../../writes/context/named-key.ts'

export const circumstancesOf = ({ clock, scope }: EngineInternals): Circumstances => ({
  now: clock(),
  caller: scope?.caller ?? {},
})

const rulesOf = ({ scope }: EngineInternals): ReadRequest['rules'] =>
  scope?.permissions && { input: scope.permissions.rules, caller: scope.ruleCaller }

export const cursorValues = new WeakMap<object, NonNullable<Circumstances['cursors']>>()

/** Returns the request of a function, before its query is read. */
export function listRequest(
  engine: EngineInternals,
  collection: string,
  query: unknown,
  verb: Verb,
): ReadRequest {
  const input = query ?? {}
  requireQuery(input)
  requireName(collection)
  return {
    verb,
    collection: rootCollection(engine.schema, collection),
    query: input,
    key: undefined,
    circumstances: { ...circumstancesOf(engine), cursors: cursorValues.get(input) },
    rules: rulesOf(engine),
  }
}

/** Refuses what is no object of parameters. */
export function requireQuery(input: unknown): asserts input is Readonly<Record<string, unknown>> {
  if (!isRecord(input))
    throw fault('INVALID_QUERY', `A query is an object, not ${quote(input)}.`, {
      hint: 'Read a query string with parseQuery first.',
    })
}
