import type { Row } from '../../rows/row.ts'
import type { RunStarter, RunState } from '../outside/starts.ts'
import type { Rejection } from '../reject.ts'
import type { FlowStep, RunPosition } from '../run/keeper.ts'

export const nobody: RunStarter = { user: null, role: null, roles: [], admin: false }

/** The cause of a run, with what its steps need of it. */
export interface RunOrigin {
  readonly caller: RunStarter
  /** True if it was started by the host's own engine, which has all rights. */
  readonly isHost: boolean
  /** The author of the row that its definition is. */
  readonly author?: string | number | undefined
  readonly isRow: boolean
  readonly collection?: string | undefined
  /** With whose rights it was started by the row of a user: "caller" means them. */
  readonly as?: { readonly access: string; readonly author: string | number | undefined } | undefined
  /** Names of the flows that wait for what they have caused. */
  readonly active: readonly string[]
  /** The definition, where it is not known to be kept already. */
  readonly definition?: unknown
}

/** Progress of a run: where it continues, and steps whose results are no longer in its chain. */
export interface RunProgress extends RunPosition {
  readonly forgotten?: readonly (readonly [number, number])[] | undefined
}

export interface NewRun {
  readonly id: string
  readonly flow: string
  readonly definition: string
  readonly trigger: unknown
  readonly access: string
  readonly origin: RunOrigin
  readonly depth: number
  readonly lane?: string | undefined
  readonly parent?: string | undefined
  /** Milliseconds since 1970. */
  readonly tick?: number | undefined
  /** True for the run of a tick that is left out. */
  readonly isSkipped?: boolean
  /** Hashes of the key of its request, and of what was sent with it. */
  readonly request?: { readonly key: string; readonly body: string } | undefined
}

type ReadColumn = (text: string | undefined) => unknown

const text = (value = ''): string => value
const textOrNone = (value: string | undefined): string | undefined => value
const number = (value = '0'): number => Number(value)
/** Returns what a column of JSON holds, as it was written; undefined if that is nothing. */
const written = <Written>(value: string | undefined) =>
  (value === undefined ? undefined : JSON.parse(value)) as Written | undefined // we have written it

export const claimedColumns = {
  id: text,
  number,
  flow: text,
  definition: text,
  access: (value = 'nobody') => value,
  token: number,
  attempt: number,
  /** 0 unless a worker may have died under it. */
  deaths: number,
  depth: number,
  lane: textOrNone,
  parent: textOrNone,
  trigger: written<unknown>,
  origin: (value: string | undefined): RunOrigin =>
    written<RunOrigin>(value) ?? { caller: nobody, isHost: false, isRow: false, active: [] },
  progress: written<RunProgress>,
  /** Time of the database at the claim, in milliseconds. */
  now: number,
} as const satisfies Readonly<Record<string, ReadColumn>>

export const shownColumns = {
  id: text,
  flow: text,
  state: (value = 'failed') => value as RunState, // no other word is written
  result: (value: string | undefined) => written<unknown>(value) ?? null,
  error: written<Rejection>,
  body: textOrNone,
} as const satisfies Readonly<Record<string, ReadColumn>>

export const stepColumns = {
  number,
  operation: text,
  status: (value: string | undefined) => (value === 'resolved' ? value : 'rejected'),
  options: (value: string | undefined) => written<FlowStep['options']>(value) ?? {},
  result: (value: string | undefined) => written<unknown>(value) ?? null,
  error: written<Rejection>,
} as const satisfies Readonly<Record<string, ReadColumn>>

type RowOf<Columns extends Readonly<Record<string, ReadColumn>>> = {
  readonly [Name in keyof Columns]: ReturnType<Columns[Name]>
}

export type ClaimedRun = RowOf<typeof claimedColumns>

export type ShownRun = RowOf<typeof shownColumns>

export const readRow = <Columns extends Readonly<Record<string, ReadColumn>>>(columns: Columns, row: Row) =>
  Object.fromEntries(
    Object.entries(columns).map(([name, read]) => [name, read(textIn(row, name))]),
  ) as RowOf<Columns> // an entry for each column

export const jsonText = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value)

export const textIn = (row: Row, name: string): string | undefined => {
  const value: unknown = Reflect.get(row, name)
  return typeof value === 'string' ? value : undefined
}

export const textsIn = (rows: readonly Row[], name = 'id'): readonly string[] =>
  rows.flatMap((row) => textIn(row, name) ?? [])

export const numberIn = (row: Row, name: string): number => Number(Reflect.get(row, name) ?? 0)
