// Flows as a service has run them: their definitions as ours, and what was answered.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FlowDefinition, FlowTrigger } from '../../src/flows.ts'

interface RecordedOperation {
  readonly key: string
  readonly type: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly resolve?: string
  readonly reject?: string
}

interface RecordedFlow {
  readonly trigger: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly operations: readonly RecordedOperation[]
}

interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** A request to a flow, and what was answered. */
export interface RecordedExchange {
  readonly request: RecordedRequest
  readonly response: { readonly status: number; readonly body?: unknown }
}

export interface RecordedCase {
  readonly name: string
  readonly flows: readonly RecordedFlow[]
  readonly runs: readonly Partial<RecordedExchange>[]
}

export const recorded: readonly RecordedCase[] = readFileSync(
  join(import.meta.dirname, 'recorded-flows.jsonl'),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

export const isExchange = (run: Partial<RecordedExchange>): run is RecordedExchange =>
  run.request !== undefined && run.response !== undefined

/** True for what needs no part of a later version: what follows a commit, and clocks. */
export const isOfNow = ({ flows }: RecordedCase): boolean =>
  flows.length > 0 &&
  flows.every(
    ({ trigger, options }) => isRequested(trigger) || trigger === 'operation' || options?.type === 'filter',
  )

const isRequested = (trigger: string): boolean => trigger === 'webhook' || trigger === 'manual'

export const nameOf = (index: number): string => `flow ${index}`

/** Returns a recorded flow as a definition of ours. */
export function definitionOf(
  { trigger, options = {}, operations }: RecordedFlow,
  index: number,
): FlowDefinition {
  const [first] = operations
  return {
    name: nameOf(index),
    trigger: triggers[trigger]?.(options) ?? called(options),
    // Anybody starts a webhook, with the rights that they have.
    ...(trigger === 'webhook' && { access: 'caller' }),
    // Nothing was repeated there.
    ...(isRequested(trigger) && { retry: { times: 0, delayMs: 1 } }),
    ...(first && { first: first.key }),
    operations: Object.fromEntries(operations.map((one) => [one.key, operationOf(one)])),
  }
}

type RecordedOptions = Readonly<Record<string, unknown>>

const requested = ({ method = 'POST', async: isLate, return: returns }: RecordedOptions): FlowTrigger =>
  ({
    on: 'webhook',
    allow: 'public',
    method,
    ...(isLate === true && { waitMs: 0 }),
    ...(returns !== undefined && { returns }),
  }) as FlowTrigger // its words are ours

const chosen = ({ collections, requireSelection, return: returns }: RecordedOptions): FlowTrigger =>
  ({
    on: 'manual',
    allow: 'authenticated',
    collections,
    ...(requireSelection !== undefined && { needsSelection: requireSelection }),
    ...(returns !== undefined && { returns }),
  }) as FlowTrigger // its words are ours

const called = ({ return: returns }: RecordedOptions): FlowTrigger => ({
  on: 'flow',
  ...(returns !== undefined && { returns: String(returns) }),
})

function heard({ scope, collections, return: returns }: RecordedOptions): FlowTrigger {
  const trigger = { on: scope, collections, when: 'before', ...(returns !== undefined && { returns }) }
  return trigger as FlowTrigger // its words are ours
}

const triggers: Readonly<Record<string, (options: RecordedOptions) => FlowTrigger>> = {
  event: heard,
  webhook: requested,
  manual: chosen,
}

const accesses: Readonly<Record<string, string>> = { $full: 'full', $public: 'nobody', $trigger: 'caller' }

/** Operations that have another name here, and their options as ours. */
const renamed: Readonly<
  Record<string, (options: RecordedOptions) => readonly [type: string, options: RecordedOptions]>
> = {
  mail: (options) => ['send', { kind: 'mail', ...options }],
  notification: ({ recipient, message, ...options }) => [
    'send',
    { kind: 'notification', to: recipient, ...options, ...(message !== undefined && { body: message }) },
  ],
  exec: (options) => ['script', options],
}

function operationOf({
  type: recordedType,
  options: recordedOptions = {},
  resolve,
  reject,
}: RecordedOperation) {
  const [type, options] = renamed[recordedType]?.(recordedOptions) ?? [recordedType, recordedOptions]
  const { permissions, key, flow, iterationMode: _mode, batchSize: _size, ...others } = options
  const isList = Array.isArray(key) && key.length !== 1
  const access =
    permissions === undefined ? undefined : (accesses[String(permissions)] ?? String(permissions))
  return {
    type,
    options: {
      ...others,
      ...(key !== undefined && (isList ? { keys: key } : { key })),
      ...(flow !== undefined && { flow: nameOf(Number(/\d+/.exec(String(flow))?.[0])) }),
    },
    ...(resolve !== undefined && { resolve }),
    ...(reject !== undefined && { reject }),
    ...(access !== undefined && { access }),
  }
}
