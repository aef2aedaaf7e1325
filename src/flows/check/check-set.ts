// Checks flows together: their names, and which start which.
import { type Path, quote } from '../../errors/errors.ts'
import type { Problems } from '../../errors/problems.ts'
import { suggestion } from '../../errors/suggest.ts'
import type { OperationKind } from '../operation-type.ts'
import { type Block, type CompiledFlow, greaterKind, operationsIn } from './compiled.ts'

/** A flow of a set, with what it is checked by. */
export interface SetMember {
  readonly flow: CompiledFlow
  readonly path: Path
  readonly problems: Problems
  /** The flows that it may start; undefined for any. */
  readonly mayStart: ReadonlySet<string> | undefined
}

/** Checks what the flows of a set say of each other. */
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
