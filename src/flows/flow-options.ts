import type { Access } from '../access/access.ts'
import {
  anything,
  callback,
  checkOptions,
  list,
  type OptionKind,
  optionNames,
  text,
} from '../errors/check-options.ts'
import { quote } from '../errors/errors.ts'
import { milliseconds } from '../execution/database.ts'
import { isRecord } from '../values/guards.ts'
import type { FlowDefinition } from './definition.ts'
import { type AnyOperationType, kinds, type OperationTypes } from './operation-type.ts'
import type { SignatureSchemes } from './outside/schemes.ts'
import type { CronClass } from './outside/ticks.ts'
import { badOption } from './reject.ts'
import { type CollectionFlows, wholeNumber } from './rows/collection-flows.ts'
import type { WorldOptions } from './world/flow-world.ts'
import { checkHosts } from './world/reach.ts'

/** The user who has started a flow, or has saved its row. */
export interface FlowStarter {
  readonly user: string | number | null
  readonly role: string | number | null
}

/** Options of flows. */
export interface FlowsOptions extends WorldOptions {
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
  /** Milliseconds after which a run whose worker has stopped renewing its lease is taken over by another. By default 30,000. */
  readonly leaseMs?: number
  /** Number of runs that a process has at once. By default 10. */
  readonly perProcess?: number
  /** Bounds of the runs that are kept once they are over. */
  readonly keep?: KeptRuns
  /** Milliseconds since 1970, in place of the time of the database. For tests alone. */
  readonly clock?: () => number
  /** Called with errors that no caller gets. By default that of the engine. */
  readonly onError?: (error: unknown) => unknown
}

/** Bounds of what is kept of runs that are over. The first one that is passed counts. */
export interface KeptRuns {
  /** By default 30. */
  readonly days?: number
  /** Number of runs, by default 100,000. Those that failed stay. */
  readonly runs?: number
  /** Bytes of triggers and results, by default 1 GiB. */
  readonly bytes?: number
}

const hasFunction = (input: unknown, name: string): boolean =>
  typeof Reflect.get(Object(input), name) === 'function'
const record: OptionKind = { says: 'is an object', holds: isRecord }

/** Kinds of the options by which flows of the reference are read, too. */
export const sharedKinds = {
  operationTypes: record,
  secrets: record,
  access: callback,
  cron: callback,
  send: callback,
  jwt: { says: 'is the package jose', holds: (input) => hasFunction(input, 'jwtVerify') },
  script: { says: 'is quickScript()', holds: (input) => hasFunction(input, 'run') },
  hosts: list,
} satisfies Partial<Record<keyof FlowsOptions, OptionKind>>

const flowsOptions = optionNames<FlowsOptions>({
  ...sharedKinds,
  flows: list,
  schemes: record,
  fetch: callback,
  pollMs: milliseconds,
  leaseMs: milliseconds,
  perProcess: wholeNumber,
  keep: record,
  clock: callback,
  onError: callback,
})

/** Options of a run. */
export interface RunOptions {
  /** True for a run inside of the call, which is not stored. By default it is. */
  readonly inline?: boolean
  /** Rights that `caller` stands for. By default those of the host. */
  readonly access?: Access
  /** Names the start: of several calls with the same key one starts a run, and all get its answer. */
  readonly key?: string
  /** Milliseconds to wait for the end of a run that is kept. By default 10,000, and 0 where nothing was started. */
  readonly waitMs?: number
}

export const runOptions = optionNames<RunOptions>({
  inline: anything,
  access: anything,
  key: text,
  waitMs: anything,
})

/** Options of `start`. */
export interface FlowsStartOptions {
  /** Number of runs at once. By default `perProcess`. */
  readonly concurrency?: number
}

export const startOptions = optionNames<FlowsStartOptions>({ concurrency: wholeNumber })

/** Options of `stop`. */
export interface FlowsStopOptions {
  /** Milliseconds for which runs may come to their next record. By default 10,000. */
  readonly drainMs?: number
}

export const stopOptions = optionNames<FlowsStopOptions>({ drainMs: anything })

/** Options of `retry`. */
export interface FlowsRetryOptions {
  /** The operation from which the run goes on. By default the one that failed. */
  readonly from?: string
}

export const retryOptions = optionNames<FlowsRetryOptions>({ from: text })

/** Characters that a secret has at least. */
export const shortestSecret = 8

export function checkFlowsOptions(options: FlowsOptions): void {
  checkOptions(options, flowsOptions)
  if (options.flows === undefined) throw badOption('"flows" is missing: a list of definitions.', ['flows'])
  checkNamedOptions(options)
  for (const [name, scheme] of Object.entries(options.schemes ?? {}))
    if (typeof Object(scheme).verify !== 'function')
      throw badOption('A scheme of signatures has a function "verify".', ['schemes', name, 'verify'])
}

/** Checks the options whose members definitions name. */
export function checkNamedOptions({
  secrets = {},
  hosts,
  operationTypes = {},
}: Pick<FlowsOptions, 'secrets' | 'hosts' | 'operationTypes'>): void {
  for (const [name, secret] of Object.entries(secrets))
    if (typeof secret !== 'string' || secret.length < shortestSecret)
      throw badOption(`A secret is a text of ${shortestSecret} characters or more.`, ['secrets', name])
  checkHosts({ ...(hosts && { hosts }) })
  for (const [name, type] of Object.entries(operationTypes)) checkType(name, type)
}

function checkType(name: string, type: AnyOperationType): void {
  const wrong = (says: string, ...path: readonly string[]) =>
    badOption(says, ['operationTypes', name, ...path])
  const { kind, options, run, timeoutMs, problemsOf } = Object(type)
  if (!kinds.some((one) => one === kind))
    throw wrong(
      `The kind of an operation is one of ${kinds.map(quote).join(', ')}, not ${quote(kind)}.`,
      'kind',
    )
  if (typeof run !== 'function') throw wrong('An operation has a function "run".', 'run')
  if (problemsOf !== undefined && typeof problemsOf !== 'function')
    throw wrong(`"problemsOf" of an operation is a function, not ${quote(problemsOf)}.`, 'problemsOf')
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0))
    throw wrong(`"timeoutMs" is a number of milliseconds, not ${quote(timeoutMs)}.`, 'timeoutMs')
  const says = 'The options of an operation are an object of { schema, doc }, each with a schema of zod.'
  if (!isRecord(options)) throw wrong(says, 'options')
  for (const [option, row] of Object.entries(options))
    if (typeof Object(Object(row).schema).safeParse !== 'function') throw wrong(says, 'options', option)
}
