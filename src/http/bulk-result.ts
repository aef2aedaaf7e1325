// Writes to many items whose result is a number and keys: `Prefer: return=representation`, and dry runs.
import { fault, quote } from '../errors/errors.ts'
import type { DeleteResult } from '../items/delete.ts'
import type { UpdateResult } from '../items/write/update-by-query.ts'
import { isRecord } from '../values/guards.ts'
import { type Incoming, json, type Outgoing } from './messages.ts'

/** True if the client wants to know what was done. */
export const wantsCount = ({ header }: Pick<Incoming, 'header'>): boolean =>
  (header('prefer') ?? '').split(',').some((preference) => isRepresentation.test(preference))

const isRepresentation = /^\s*return\s*=\s*(?:representation|"representation")\s*(?:;|$)/i

export const counted = (result: DeleteResult | UpdateResult, incoming: Incoming): Outgoing =>
  json(
    JSON.stringify({ data: result }),
    200,
    wantsCount(incoming) ? { 'preference-applied': 'return=representation' } : {},
  )

/** Reads what a body selects, and whether nothing is to be done. */
export function dryRunIn(body: unknown): { readonly selector: unknown; readonly isDry: boolean } {
  if (!isRecord(body) || body.dryRun === undefined) return { selector: body, isDry: false }
  const { dryRun, ...selector } = body
  if (typeof dryRun !== 'boolean') throw noDryRun(`"dryRun" is true or false, not ${quote(dryRun)}.`)
  return { selector: Object.keys(selector).length > 0 ? selector : undefined, isDry: dryRun }
}

export const noDryRun = (message: string) => fault('INVALID_PAYLOAD', message, { path: ['dryRun'] })
