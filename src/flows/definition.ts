// Definitions of flows: data that is checked once.
import type { EventName } from '../engine/events.ts'
import type { OperationTypes, OptionsOf } from './operation-type.ts'

/** With whose rights the operations of a flow work: those of its trigger, of the author of its row, all, none, or those that the host knows by a
 *  name. */
export type FlowAccess = 'caller' | 'author' | 'full' | 'nobody' | (string & Record<never, never>)

/** A flow that runs when items are read or written. */
export interface ItemsTrigger {
  readonly on: EventName | readonly EventName[]
  readonly collections: readonly string[]
  /** `before` may replace or refuse what is written, and writes nothing itself. `beforeCommit` runs once the rows are stored, in their transaction.
   *  `after` is a run of its own that is stored with them. */
  readonly when: 'before' | 'beforeCommit' | 'after'
  /** The place of the object that replaces the payload, or the query of a read; with `$all`, the whole chain. By default none does. */
  readonly returns?: string
}

/** A flow that other flows start, or the host. */
export interface CalledTrigger {
  readonly on: 'flow'
  /** The place of what it answers. By default `$last`. */
  readonly returns?: string
}

/** A flow that runs at the times of a schedule. */
export interface ScheduleTrigger {
  readonly on: 'schedule'
  /** Five fields of cron (minute, hour, day, month, day of the week), six with the second in front, or a word such as `@daily`. */
  readonly cron: string
  /** The time zone of these times. By default `UTC`. */
  readonly timeZone?: string
  /** `skip` leaves out a time at which the run before has not ended, and `allow` starts another one. By default `skip`. */
  readonly overlap?: 'skip' | 'allow'
  /** `last` makes up for the last time of the 24 hours in which no process was there, and `none` for none. By default `last`. */
  readonly missed?: 'last' | 'none'
}

/** A filter on the caller: `{ role: { _eq: 'editor' } }`. The caller has `user`, `role`, `roles` and `admin`. */
export type CallerFilter = Readonly<Record<string, unknown>>

/** The signature of a webhook. */
export interface WebhookSignature {
  /** A row of the table of schemes: `standard`, `github`, `stripe`, or one of the host's. */
  readonly scheme: string
  /** Names of secrets, of which one has to fit: the new one and the old one, while a secret is changed. */
  readonly secret: readonly string[]
}

/** A flow that a request starts. */
export interface WebhookTrigger {
  readonly on: 'webhook'
  /** Callers who may start it: those who have signed the request, all, authenticated ones, or those that match a filter. */
  readonly allow: 'signed' | 'public' | 'authenticated' | CallerFilter
  /** By default `POST`. `GET` only for "public" ones. */
  readonly method?: 'POST' | 'GET'
  /** Milliseconds for which a request waits for the end of the run, up to 60,000. By default 10,000. */
  readonly waitMs?: number
  readonly hmac?: WebhookSignature
  /** Names of the headers that `$trigger.headers` has. By default none. */
  readonly headers?: readonly string[]
  /** The place of what it answers. By default `$last`. */
  readonly returns?: string
}

/** A flow that a user starts for items that they have chosen. */
export interface ManualTrigger {
  readonly on: 'manual'
  /** Collections of the items. By default any that the caller sees. */
  readonly collections?: readonly string[]
  /** False if it may be started without items. By default true. */
  readonly needsSelection?: boolean
  /** Callers who may start it: authenticated ones, or those that match a filter. */
  readonly allow: 'authenticated' | CallerFilter
  /** Milliseconds for which a request waits for the end of the run, up to 60,000. By default 10,000. */
  readonly waitMs?: number
  /** The place of what it answers. By default `$last`. */
  readonly returns?: string
}

/** Trigger of a flow. */
export type FlowTrigger = ItemsTrigger | CalledTrigger | ScheduleTrigger | WebhookTrigger | ManualTrigger

/** An operation of a flow, with the options of its type. */
export type OperationDefinition<Types extends OperationTypes = OperationTypes> = {
  readonly [Type in keyof Types & string]: {
    readonly type: Type
    readonly options: OptionsOf<Types[Type], OperationDefinitions<Types>>
    /** The operation that runs next. */
    readonly resolve?: string
    /** The operation that runs next if this one fails. Without it the flow fails. */
    readonly reject?: string
    /** By default that of the flow. */
    readonly access?: FlowAccess
    /** By default that of the flow. */
    readonly retry?: RetryDefinition
  }
}[keyof Types & string]

/** An operation of a flow, of any type. */
export interface AnyOperationDefinition {
  readonly type: string
  readonly options?: object
  readonly resolve?: string
  readonly reject?: string
  readonly access?: FlowAccess
  readonly retry?: RetryDefinition
}

/** How often an operation of a run that is kept is repeated when it fails and may succeed later. */
export interface RetryDefinition {
  /** By default 3. */
  readonly times?: number
  /** Milliseconds before the first time, by default 1,000; before each other one twice as many. */
  readonly delayMs?: number
}

/** Operations by their names. */
export type OperationDefinitions<Types extends OperationTypes = OperationTypes> = Readonly<
  Record<string, OperationDefinition<Types>>
>

/** A flow. */
export interface FlowDefinition {
  readonly name: string
  readonly trigger: FlowTrigger
  /** By default `caller`. */
  readonly access?: FlowAccess
  /** A text, usually with a template of `$trigger`: runs of the same lane follow each other. */
  readonly lane?: string
  readonly retry?: RetryDefinition
  /** The operation that runs first. Without operations there is none. */
  readonly first?: string
  readonly operations?: Readonly<Record<string, AnyOperationDefinition>>
}

/** A flow as it is written: the options of each operation are those of its type. */
export interface TypedFlowDefinition<Types extends OperationTypes>
  extends Omit<FlowDefinition, 'operations'> {
  readonly operations?: OperationDefinitions<Types>
}
