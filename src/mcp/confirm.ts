// Plans of writes: what would be done is signed, and done if that is still what would be done.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { textOfRules } from '../access/rules-text.ts'
import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import type { McpSettings } from './mcp-options.ts'

const lifetime = 600_000

/** The write that a caller has planned. */
export interface WritePlan {
  readonly action: 'create' | 'update' | 'delete'
  readonly collection: string
  readonly filter?: unknown
  readonly data?: unknown
  /** Keys of the chosen items, in any order. */
  readonly keys: readonly unknown[]
}

/** Returns the text that confirms a plan for ten minutes. */
export function confirmOf(plan: WritePlan, engine: Engine, settings: McpSettings): string {
  const core = internalsOf(engine)
  const end = core.clock().getTime() + lifetime
  return `${end}.${signatureOf(plan, end, core, settings)}`
}

/** True for the confirm of this plan by this caller, in time and for the first time in this process. */
export function isConfirmed(
  confirm: unknown,
  plan: WritePlan,
  engine: Engine,
  settings: McpSettings,
): boolean {
  if (confirm === undefined) return false
  if (typeof confirm !== 'string')
    throw fault('INVALID_PAYLOAD', '"confirm" is the text of a plan.', { path: ['confirm'] })
  const [, end = '', signature = ''] = /^(\d{1,15})\.([\w-]{43})$/.exec(confirm) ?? []
  const core = internalsOf(engine)
  if (signature === '' || Number(end) <= core.clock().getTime() || settings.used.has(signature)) return false
  const wanted = signatureOf(plan, Number(end), core, settings)
  return timingSafeEqual(Buffer.from(signature), Buffer.from(wanted))
}

/** Keeps a confirm from being used again. */
export function useUp(confirm: unknown, engine: Engine, { used }: McpSettings): void {
  const now = internalsOf(engine).clock().getTime()
  for (const [signature, end] of used) if (end <= now) used.delete(signature)
  const [end = '', signature = ''] = String(confirm).split('.')
  used.set(signature, Number(end))
}

function signatureOf(plan: WritePlan, end: number, { scope }: EngineInternals, { key }: McpSettings): string {
  const { action, collection, filter = null, data = null, keys } = plan
  const { expiresAt: _, ...access } = scope?.access ?? {}
  const caller = textOfRules(access) ?? JSON.stringify(access.user ?? null)
  const chosen = createHash('sha256').update(keysText(keys)).digest('hex')
  const signed = JSON.stringify([
    'quernel plan',
    action,
    collection,
    filter,
    data,
    caller,
    chosen,
    keys.length,
    end,
  ])
  return createHmac('sha256', key).update(signed).digest('base64url')
}

/** Returns the text of keys, which is the same in any order. */
export const keysText = (keys: WritePlan['keys']): string =>
  JSON.stringify(keys.map((one) => JSON.stringify(one)).sort())
