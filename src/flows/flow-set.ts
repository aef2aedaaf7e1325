// The set of flows of an engine: those of the host, and those of rows, checked together.
import { type EngineError, fault, type Path } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import type { CheckContext } from './check/check-context.ts'
import { checkFlow } from './check/check-flow.ts'
import { checkSet, type SetMember } from './check/check-set.ts'
import type { CompiledFlow } from './check/compiled.ts'
import type { FlowDefinition } from './definition.ts'
import type { CollectionFlows } from './rows/collection-flows.ts'
import type { FlowRow } from './rows/flow-rows.ts'
import type { BoundFlow } from './triggers/bind-triggers.ts'

/** A flow as `flows.status()` tells of it. */
export interface FlowState {
  readonly name: string
  /** The collection of its row; undefined for one of the host's. */
  readonly collection: string | undefined
  readonly state: 'active' | 'disabled'
  /** Why it is disabled. */
  readonly problems: readonly { readonly message: string; readonly path: Path; readonly hint?: string }[]
}

/** Flows that were checked together. */
export interface CheckedSet {
  readonly bound: readonly BoundFlow[]
  readonly states: readonly FlowState[]
}

/** Checks the flows of the host. All problems of all of them are thrown together. */
export function checkDefinitions(
  definitions: readonly { readonly definition: FlowDefinition; readonly at: number }[],
  context: CheckContext,
): CheckedSet {
  const members: SetMember[] = []
  const problems = new Problems('INVALID_OPTIONS')
  for (const { definition, at } of definitions) {
    const path = ['flows', at]
    const flow = checkFlow(definition, path, context, problems)
    if (flow) members.push({ flow, path, problems, mayStart: undefined })
  }
  checkSet(members, new Map())
  problems.throwIfAny()
  return {
    bound: members.map(({ flow }) => ({ flow, author: undefined, isRow: false })),
    states: members.map(({ flow }) => ({
      name: flow.name,
      collection: undefined,
      state: 'active',
      problems: [],
    })),
  }
}

/** Context of the check of rows: the flows that there are already, and the listener that is told of a row that cannot be checked. */
interface RowsContext extends CheckContext {
  readonly others: ReadonlyMap<string, CompiledFlow>
  readonly onError: (error: unknown) => void
  /** Rows that were checked before: one that is the same is not checked again. */
  readonly checked: WeakMap<FlowRow, CheckedRow>
}

/** A row that was checked by itself. */
export interface CheckedRow {
  readonly flow: CompiledFlow | undefined
  readonly problems: readonly EngineError[]
}

/** Checks the rows of a collection. A bad one is disabled, and keeps no other one from running. */
export function checkRows(
  rows: readonly FlowRow[],
  settings: CollectionFlows,
  { others, onError, checked, ...context }: RowsContext,
): CheckedSet {
  const limited = { ...context, limits: settings }
  // A row that is named as a flow of others lends nobody the right to start it.
  const names = rows.map(({ name }) => name).filter((name) => !others.has(name))
  const mayStart = new Set([...names, ...(settings.flows ?? [])])
  const read = rows.map((row) => {
    const own = checked.get(row) ?? checkRow(row, { ...limited, onError })
    checked.set(row, own)
    const { flow } = own
    const problems = new Problems('INVALID_OPTIONS')
    for (const problem of own.problems) problems.report(problem)
    if (flow && settings.author !== undefined && row.author === undefined)
      problems.add(
        [settings.author],
        'Nobody is known to have written this row, so it has no rights.',
        'It runs once a user has saved its definition.',
      )
    return { row, flow, problems }
  })
  const members = read.flatMap(({ flow, problems }) =>
    flow && problems.isEmpty ? [{ flow, path: [], problems, mayStart }] : [],
  )
  checkSet(members, others)
  return {
    bound: read.flatMap(({ flow, row, problems }) =>
      flow && problems.isEmpty
        ? [{ flow, author: row.author, isRow: true, collection: settings.collection }]
        : [],
    ),
    states: read.map(({ row, problems }) => ({
      name: row.name,
      collection: settings.collection,
      state: problems.isEmpty ? 'active' : 'disabled',
      problems: problems.all.map(({ message, path = [], hint }) => ({
        message,
        path,
        ...(hint !== undefined && { hint }),
      })),
    })),
  }
}

/** Checks a row by itself. One that cannot even be checked is bad like any other. */
function checkRow(
  { definition, problem }: FlowRow,
  { onError, ...context }: CheckContext & Pick<RowsContext, 'onError'>,
): CheckedRow {
  const problems = new Problems('INVALID_OPTIONS')
  const end = (flow?: CompiledFlow): CheckedRow => ({ flow, problems: problems.all })
  if (problem !== undefined) {
    problems.add([], problem)
    return end()
  }
  try {
    return end(checkFlow(definition, [], context, problems))
  } catch (error) {
    onError(error)
    problems.add([], 'The row cannot be checked.')
    return end()
  }
}

/** The error of a call that would run before the rows are known. */
export const notStarted = (collection: string) =>
  fault('SERVICE_UNAVAILABLE', `The flows of "${collection}" are not known yet.`, {
    hint: 'Await flows.start() before anything is written.',
  })
