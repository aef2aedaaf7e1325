// Options of flows.
import type { Access } from '../access/access.ts'
import {
  anything,
  callback,
  checkOptions,
  list,
  type OptionKind,
  optionNames,
} from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { milliseconds } from '../execution/database.ts'
import { isRecord } from '../values/guards.ts'
import type { FlowDefinition } from './definition.ts'
import { type AnyOperationType, kinds, type OperationTypes } from './operation-type.ts'
import type { SignatureSchemes } from './outside/schemes.ts'
import type { CronClass } from './outside/ticks.ts'
import type { CollectionFlows } from './rows/collection-flows.ts'

/** The user who has started a flow, or has saved its row. */
export interface FlowStarter {
  readonly user: string | number | null
  readonly role: string | number | null
}

/** Options of flows. */
export interface FlowsOptions {
  /** Definitions, and collections whose rows are some. */
  readonly flows: readonly (FlowDefinition | CollectionFlows)[]
  /** Types of operations. By default those of the package: `{ ...operationTypes, mine }` has more. */
  readonly operationTypes?: OperationTypes
  /** Texts of secrets by the names under which definitions have them. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Returns the rights that a name stands for, or those of the author of a row; null for who has none any more. */
  readonly access?: (name: string, starter: FlowStarter) => Access | null | Promise<Access | null>
  /** Schemes of the signatures of webhooks. By default those of the package: `{ ...schemes, mine }` has more. */
  readonly schemes?: SignatureSchemes
  /** The class `Cron` of the package croner, which reads schedules. */
  readonly cron?: CronClass
  /** Milliseconds after which rows of definitions that another process has changed take effect at the latest. By default 1,000. */
  readonly pollMs?: number
  /** Called with errors that no caller gets. By default that of the engine. */
  readonly onError?: (error: unknown) => unknown
}

const record: OptionKind = { says: 'is an object', holds: isRecord }

const flowsOptions = optionNames<FlowsOptions>({
  flows: list,
  operationTypes: record,
  secrets: record,
  access: callback,
  schemes: record,
  cron: callback,
  pollMs: milliseconds,
  onError: callback,
})

/** Options of a run. */
export interface RunOptions {
  /** True for a run inside of the call, of which nothing is kept. */
  readonly inline: true
  /** Rights that `caller` stands for. By default those of the host. */
  readonly access?: Access
}

export const runOptions = optionNames<RunOptions>({ inline: anything, access: anything })

const shortestSecret = 8

/** Checks the options of flows. */
export function checkFlowsOptions(options: FlowsOptions): void {
  checkOptions(options, flowsOptions)
  if (options.flows === undefined)
    throw fault('INVALID_OPTIONS', '"flows" is missing: a list of definitions.', { path: ['flows'] })
  for (const [name, text] of Object.entries(options.secrets ?? {}))
    if (typeof text !== 'string' || text.length < shortestSecret)
      throw fault('INVALID_OPTIONS', `A secret is a text of ${shortestSecret} characters or more.`, {
        path: ['secrets', name],
      })
  for (const [name, type] of Object.entries(options.operationTypes ?? {})) checkType(name, type)
  for (const [name, scheme] of Object.entries(options.schemes ?? {}))
    if (typeof Object(scheme).verify !== 'function')
      throw fault('INVALID_OPTIONS', 'A scheme of signatures has a function "verify".', {
        path: ['schemes', name, 'verify'],
      })
}

/** Checks a row of the table of operations. */
function checkType(name: string, type: AnyOperationType): void {
  const path = ['operationTypes', name]
  const { kind, options, run, timeoutMs } = Object(type)
  if (!kinds.some((one) => one === kind))
    throw fault(
      'INVALID_OPTIONS',
      `The kind of an operation is one of ${kinds.map(quote).join(', ')}, not ${quote(kind)}.`,
      {
        path: [...path, 'kind'],
      },
    )
  if (typeof run !== 'function')
    throw fault('INVALID_OPTIONS', 'An operation has a function "run".', { path: [...path, 'run'] })
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0))
    throw fault('INVALID_OPTIONS', `"timeoutMs" is a number of milliseconds, not ${quote(timeoutMs)}.`, {
      path: [...path, 'timeoutMs'],
    })
  const rows = isRecord(options) ? Object.entries(options) : undefined
  const wrong = rows?.find(([, row]) => typeof Object(Object(row).schema).safeParse !== 'function')
  if (!rows || wrong)
    throw fault(
      'INVALID_OPTIONS',
      'The options of an operation are an object of { schema, doc }, each with a schema of zod.',
      {
        path: [...path, 'options', ...(wrong ? [wrong[0]] : [])],
      },
    )
}
