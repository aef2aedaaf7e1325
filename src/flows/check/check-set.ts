// Checks flows together: those of the host, and those of rows; their names, and which start which.
import { type EngineError, type Path, quote } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { suggestion } from '../../errors/suggest.ts'
import type { FlowsOptions } from '../flow-options.ts'
import type { OperationKind } from '../operation-type.ts'
import { type CollectionFlows, isCollectionFlows } from '../rows/collection-flows.ts'
import type { FlowRow } from '../rows/flow-rows.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import type { CheckContext } from './check-context.ts'
import { checkFlow } from './check-flow.ts'
import { type Block, type CompiledFlow, greaterKind, operationsIn } from './compiled.ts'

/** A flow as `flows.status()` reports it. */
export interface FlowState {
  readonly name: string
  /** The collection of its row; undefined for one of the host's. */
  readonly collection: string | undefined
  readonly state: 'active' | 'disabled'
  /** Why it is disabled. */
  readonly problems: readonly { readonly message: string; readonly path: Path; readonly hint?: string }[]
}

export interface CheckedSet {
  readonly bound: readonly BoundFlow[]
  readonly states: readonly FlowState[]
}

/** Checks the flows of the host. All problems of all of them are thrown together. */
export function checkDefinitions(flows: FlowsOptions['flows'], context: CheckContext): CheckedSet {
  const members: SetMember[] = []
  const problems = new Problems('INVALID_OPTIONS')
  for (const [at, definition] of flows.entries()) {
    if (isCollectionFlows(definition)) continue
    const path = ['flows', at]
    const flow = checkFlow(definition, path, context, problems)
    if (flow) members.push({ flow, path, problems, mayStart: undefined })
  }
  checkSet(members, new Map())
  problems.throwIfAny()
  return {
    bound: members.map(({ flow }) => ({ flow, author: undefined, isRow: false })),
    states: members.map(({ flow }) => stateOf(flow.name, undefined, problems)),
  }
}

const stateOf = (name: string, collection: string | undefined, { isEmpty, all }: Problems): FlowState => ({
  name,
  collection,
  state: isEmpty ? 'active' : 'disabled',
  problems: all.map(({ message, path = [], hint }) => ({
    message,
    path,
    ...(hint !== undefined && { hint }),
  })),
})

/** Context of the check of rows: the flows that there are already, and the listener for errors of rows that cannot be checked. */
interface RowsContext extends CheckContext {
  readonly others: ReadonlyMap<string, CompiledFlow>
  readonly onError: (error: unknown) => void
  /** Rows that were checked before: one that is the same is not checked again. */
  readonly checked: WeakMap<FlowRow, CheckedRow>
}

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
  // A row with the same name as a flow of others does not give the right to start that flow.
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
        'It is not known who has written this row, so it has no rights.',
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
    states: read.map(({ row, problems }) => stateOf(row.name, settings.collection, problems)),
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

export interface SetMember {
  readonly flow: CompiledFlow
  readonly path: Path
  readonly problems: Problems
  /** The flows that it may start; undefined for any. */
  readonly mayStart: ReadonlySet<string> | undefined
}

export function checkSet(members: readonly SetMember[], others: ReadonlyMap<string, CompiledFlow>): void {
  const flows = new Map(others)
  for (const { flow, path, problems } of members) {
    if (flows.has(flow.name)) problems.add([...path, 'name'], `There is another flow ${quote(flow.name)}.`)
    else flows.set(flow.name, flow)
  }
  for (const member of members) {
    checkStarts(member, flows)
    checkKind(member, flows)
  }
}

function checkStarts(
  { flow, path, problems, mayStart }: SetMember,
  flows: ReadonlyMap<string, CompiledFlow>,
): void {
  for (const { path: inner, starts } of operationsIn(flow.block)) {
    if (starts === undefined) continue
    const at = [...path, ...inner, 'options', 'flow']
    const target = flows.get(starts)
    if (!target || (mayStart && !mayStart.has(starts)))
      problems.add(at, `There is no flow ${quote(starts)} that this one may start.`, () =>
        suggestion(starts, mayStart ?? flows.keys()),
      )
    else if (target.trigger.on !== 'flow')
      problems.add(
        at,
        `The flow ${quote(starts)} is not started by others.`,
        'Its trigger would be { "on": "flow" }.',
      )
  }
}

function checkKind({ flow, path, problems }: SetMember, flows: ReadonlyMap<string, CompiledFlow>): void {
  const { trigger } = flow
  if (trigger.on !== 'items' || trigger.when === 'after') return
  const { when } = trigger
  for (const { path: inner, typeName, kind } of reached(flow.block, flows, new Set([flow.name]))) {
    const at = [...path, ...inner]
    if (typeName === 'sleep')
      problems.add(at, `"sleep" holds up the transaction, so a flow does not sleep "${when}".`)
    else if (greaterKind(kind, 'database') !== 'database')
      problems.add(at, `"${typeName}" reaches out of the database, so it is in no flow that runs "${when}".`)
    else if (when === 'before' && greaterKind(kind, 'reads') !== 'reads')
      problems.add(
        at,
        `"${typeName}" writes, and a flow that runs "before" may run more than once for one write.`,
        'Take "beforeCommit".',
      )
  }
}

interface ReachedOperation {
  /** The operation of the flow itself that leads there. */
  readonly path: Path
  readonly typeName: string
  readonly kind: OperationKind
}

/** Returns the operations of a block and of the flows that it starts. These may start each other in a long row, so that nothing is nested here. */
function* reached(
  block: Block,
  flows: ReadonlyMap<string, CompiledFlow>,
  seen: Set<string>,
): Generator<ReachedOperation> {
  const left: { readonly block: Block; readonly from: Path | undefined }[] = [{ block, from: undefined }]
  for (let one = left.pop(); one; one = left.pop())
    for (const { path: own, typeName, type, starts } of operationsIn(one.block)) {
      const path = one.from ?? own
      yield { path, typeName, kind: type.kind }
      const target = starts === undefined || seen.has(starts) ? undefined : flows.get(starts)
      if (!target) continue
      seen.add(target.name)
      left.push({ block: target.block, from: path })
    }
}
