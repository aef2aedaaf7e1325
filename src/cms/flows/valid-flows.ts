// Definitions that flows take: what they would refuse is left out, and no flow fails for another one.

import { quote } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import type { CheckContext } from '../../flows/check/check-context.ts'
import { checkFlow } from '../../flows/check/check-flow.ts'
import { checkSet, type SetMember } from '../../flows/check/check-set.ts'
import { type CompiledFlow, operationsIn } from '../../flows/check/compiled.ts'
import type { FlowDefinition } from '../../flows/definition.ts'
import { neededOptionOf, ownTypes } from '../../flows/operations/operation-types.ts'
import type { CmsFlowNeed, FlowReport } from './flow-report.ts'

/** A flow as ours, before it is checked. */
export interface DraftFlow {
  readonly definition: FlowDefinition
  readonly report: FlowReport
}

interface CheckedFlow extends DraftFlow {
  readonly flow: CompiledFlow
}

/** Returns the flows that are definitions, and refuses all others. */
export function soundFlows(
  drafts: readonly DraftFlow[],
  lacking: ReadonlySet<CmsFlowNeed>,
  context: CheckContext,
): readonly DraftFlow[] {
  const checked = drafts.flatMap((draft) => {
    const { definition, report } = draft
    const problems = new Problems('INVALID_OPTIONS')
    const flow = checkFlow(definition, [], context, problems)
    refuseFor(report, problems)
    // Without its package, a cron expression could not be checked.
    if (flow?.trigger.on === 'schedule' && lacking.has('cron'))
      report.refuseWithout(
        'cron',
        'Its schedule is read by the package "croner". Install it, and give its class to readCmsFlows and to createFlows: { cron: Cron }.',
      )
    return flow && !report.isLeftOut ? [{ ...draft, flow }] : []
  })
  const startable = withTargets(checked)
  const members = startable.map(({ flow, report }) => {
    const problems = new Problems('INVALID_OPTIONS')
    return { report, problems, member: { flow, path: [], problems, mayStart: undefined } satisfies SetMember }
  })
  checkSet(
    members.map(({ member }) => member),
    new Map(),
  )
  for (const { report, problems } of members) refuseFor(report, problems)
  // Of those that are left out by what they start, others may start some.
  const sound = withTargets(startable.filter(({ report }) => !report.isLeftOut))
  noteOfListeners(sound)
  for (const one of sound) noteNeeds(one, lacking)
  return sound
}

/** Words for rights that no host is asked for. */
const ownWords: readonly string[] = ['caller', 'full', 'nobody']

/** Reports the options without which `createFlows` refuses a flow. */
function noteNeeds({ flow, report }: CheckedFlow, lacking: ReadonlySet<CmsFlowNeed>): void {
  const { on } = flow.trigger
  const outlivesCaller = on !== 'flow' && !(on === 'items' && flow.trigger.when !== 'after')
  if (lacking.has('access') && outlivesCaller && flow.needsCaller)
    report.noteNeed(
      'access',
      'It works with the rights of its trigger. Give createFlows "access", which is asked for "caller" with the user.',
    )
  for (const { key, type, typeName, access } of operationsIn(flow.block)) {
    const needed = ownTypes.has(type) ? neededOptionOf(typeName) : undefined
    if (needed && lacking.has(needed.option))
      report.noteNeed(
        needed.option,
        `Operations of the type ${quote(typeName)} need the option ${quote(needed.option)}. ${needed.hint}`,
        key,
      )
    if (lacking.has('access') && !ownWords.includes(access))
      report.noteNeed(
        'access',
        `It works with the rights of a role. Give createFlows "access", which is asked for ${quote(access)}.`,
        key,
      )
  }
}

function refuseFor(report: FlowReport, problems: Problems): void {
  for (const problem of problems.all) report.refuseFor(problem)
}

/** Leaves out what starts a flow that is not there, and then what starts that one. */
function withTargets(checked: readonly CheckedFlow[]): readonly CheckedFlow[] {
  const byName = new Map(checked.map((one) => [one.flow.name, one]))
  const startersOf = new Map<string, CheckedFlow[]>()
  const lost: CheckedFlow[] = []
  const refuse = (one: CheckedFlow, target: string, operation: string | undefined) => {
    if (!one.report.isLeftOut) lost.push(one)
    one.report.refuse(`It starts the flow ${quote(target)}, which is not among the definitions.`, operation)
  }
  for (const one of checked)
    for (const { starts, key } of operationsIn(one.flow.block)) {
      if (starts === undefined) continue
      if (!byName.has(starts)) refuse(one, starts, key)
      else if (!startersOf.get(starts)?.push(one)) startersOf.set(starts, [one])
    }
  // A list takes up what is added while it is walked.
  for (const { flow } of lost)
    for (const starter of startersOf.get(flow.name) ?? [])
      if (!starter.report.isLeftOut) refuse(starter, flow.name, undefined)
  return checked.filter(({ report }) => !report.isLeftOut)
}

/** Events of the operations that write. */
const eventsOfTypes: Readonly<Record<string, string>> = {
  'item-create': 'items.create',
  'item-update': 'items.update',
  'item-delete': 'items.delete',
}

/** Reports flows that are triggered by what another one writes: in the service such a write triggers no flows, unless the operation says otherwise. */
function noteOfListeners(sound: readonly CheckedFlow[]): void {
  const listeners = new Map<string, Set<string>>()
  for (const { flow } of sound) {
    const { trigger, name } = flow
    if (trigger.on !== 'items') continue
    for (const event of trigger.events)
      for (const collection of trigger.collections) {
        const place = JSON.stringify([event, collection])
        listeners.set(place, (listeners.get(place) ?? new Set()).add(name))
      }
  }
  for (const { flow, report } of sound)
    for (const { typeName, written, key } of operationsIn(flow.block)) {
      if (!Object.hasOwn(eventsOfTypes, typeName) || written.emitEvents === true) continue
      const hearing = listeners.get(JSON.stringify([eventsOfTypes[typeName], written.collection]))
      const first = hearing && firstBut(flow.name, hearing)
      if (!hearing || first === undefined) continue
      const others = hearing.size - (hearing.has(flow.name) ? 2 : 1)
      report.note(
        `What it writes triggers the flow ${quote(first)}${others > 0 ? ` and ${others} more` : ''}; in the service only with "emitEvents".`,
        key,
      )
    }
}

function firstBut(name: string, names: ReadonlySet<string>): string | undefined {
  for (const one of names) if (one !== name) return one
  return undefined
}
