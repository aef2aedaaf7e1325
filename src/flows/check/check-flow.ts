// Checks a definition, once: all problems together, each with its place.

import { type EventName, eventNames } from '../../engine/events.ts'
import { type Path, quote } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { suggestion } from '../../errors/suggest.ts'
import { isRecord } from '../../values/guards.ts'
import { copyJson, isNoJson, maxChain, ownRoots } from '../chain/chain.ts'
import { readPlace } from '../chain/place.ts'
import { defaultRetry } from '../run/retry.ts'
import { checkBlock } from './check-block.ts'
import {
  type CheckContext,
  type Checking,
  checkCollections,
  checkMembers,
  checkNames,
  type LackOfRuns,
  mostOperations,
  trusted,
  type WrittenTrigger,
  worksWithoutTransactions,
} from './check-context.ts'
import { checkAccessWord, checkLane, checkRetry } from './check-keeping.ts'
import { checkManual, checkSchedule, checkWebhook } from './check-outside-trigger.ts'
import { type CompiledFlow, type CompiledTrigger, operationsIn, type Returned } from './compiled.ts'

const members = ['name', 'trigger', 'access', 'first', 'operations', 'lane', 'retry']

/** Checks a definition and returns the valid parts of its flow. Problems are added to the existing ones. */
export function checkFlow(
  definition: unknown,
  path: Path,
  context: CheckContext,
  problems: Problems,
): CompiledFlow | undefined {
  const add: Checking['add'] = (at, message, hint) => void problems.add([...path, ...at], message, hint)
  if (!isRecord(definition)) return add([], `A flow is an object, not ${quote(definition)}.`)
  const copy = copyJson(definition, maxChain)
  if (isNoJson(copy)) return add(copy.path, `A flow is data, and what stands here ${copy.says}.`)
  const { limits: later, ...others } = definition
  if (later !== undefined) add(['limits'], '"limits" of a flow is not in this version.')
  checkNames(others, members, { path: [], says: 'A flow has no' }, { add })
  const name = checkName(definition.name, add)
  const starter = starterOf(definition.trigger)
  if (definition.access === undefined && starter !== 'caller')
    add(
      ['access'],
      'This flow may be started without a known caller, so it needs "access", which says with whose rights it works.',
      'Without any: "nobody".',
    )
  const hasCaller = starter !== 'nobody'
  const byDefault = starter === 'caller' ? 'caller' : 'nobody'
  const access = checkAccessWord(definition.access ?? byDefault, ['access'], { ...context, hasCaller, add })
  const checking: Checking = {
    ...context,
    checkBlock,
    access,
    hasCaller,
    add,
    found: { names: new Set(), operations: 0, namesCaller: false, needsCaller: access === 'caller' },
    retry: checkRetry(definition.retry, ['retry'], defaultRetry, add),
  }
  const trigger = checkTrigger(definition.trigger, checking)
  const isInside = trigger?.on === 'items' && trigger.when !== 'after'
  if (trigger && !isInside && trigger.on !== 'flow' && context.lacksRuns)
    add(['trigger'], ...lacks[context.lacksRuns])
  for (const name of ['lane', 'retry'] as const)
    if (isInside && definition[name] !== undefined)
      add([name], `A flow that runs inside of a write has no "${name}".`, 'Flows that run "after" have.')
  const operations = definition.operations ?? {}
  const block = checkBlock(
    { first: definition.first, operations },
    { path: [], outer: new Set(ownRoots), depth: 0 },
    checking,
  )
  if (checking.found.operations > mostOperations)
    add(
      ['operations'],
      `A flow has ${mostOperations} operations at most, and this one has ${checking.found.operations}.`,
    )
  const outlivesCaller = trigger && !isInside && trigger.on !== 'flow'
  if (outlivesCaller && checking.found.needsCaller && context.hasAccess === false)
    add(
      ['access'],
      'A run may last longer than the request of its caller, whose rights are not known then.',
      'Give createFlows "access", which is asked for "caller" with the user and the role.',
    )
  const written = isRecord(definition.trigger) ? definition.trigger.returns : undefined
  const returns = checkReturns(written, new Set(block.operations.keys()), checking)
  if (
    trigger?.on === 'items' &&
    returns &&
    (trigger.when === 'beforeCommit' || (isInside && trigger.events.every((one) => one === 'items.delete')))
  )
    add(['trigger', 'returns'], 'There is nothing to replace here, so the flow returns nothing.', () =>
      trigger.when === 'beforeCommit' ? 'A flow that runs "before" replaces what is written.' : undefined,
    )
  if (trigger && returns) checkReplaced(trigger, checking)
  return (
    trigger && {
      name,
      trigger,
      access,
      returns: isInside ? returns : (returns ?? '$last'),
      source: copy.value,
      lane: checkLane(definition.lane, checking),
      block,
      namesCaller: checking.found.namesCaller || returns === '$all',
      needsCaller: checking.found.needsCaller,
      handlesFailures: [...operationsIn(block)].some(({ reject }) => reject !== undefined),
    }
  )
}

/** Returns who starts a flow: a caller, anyone, or no caller at all. */
function starterOf(trigger: unknown): 'caller' | 'anybody' | 'nobody' {
  const { on, allow } = Object(trigger)
  if (on === 'schedule' || (on === 'webhook' && allow === 'signed')) return 'nobody'
  return on === 'webhook' && allow === 'public' ? 'anybody' : 'caller'
}

/** Sentences for engines that keep no runs, each with what to do. */
const lacks: Readonly<Record<LackOfRuns, readonly [string, string]>> = {
  tables: [
    'The runs of such a flow are kept, and this engine has no tables for them.',
    'Create it with createEngine({ db, schema, flows: {} }), and await flows.install().',
  ],
  transactions: [
    'The runs of such a flow are kept, and the driver of this database has no transactions, which that takes.',
    worksWithoutTransactions,
  ],
}

const longestName = 255

function checkName(name: unknown, add: Checking['add']): string {
  if (typeof name === 'string' && isName(name)) return name
  add(
    ['name'],
    `The name of a flow is a text of 1 to ${longestName} characters, none of them for control, that does not begin with "$", and not ${quote(name)}.`,
  )
  return 'a flow'
}

/** True for a text that every database stores as it is. */
const isName = (text: string): boolean =>
  text.trim() !== '' && text.length <= longestName && !text.startsWith('$') && !/[\p{Cc}\p{Cs}]/u.test(text)

function checkReturns(
  written: unknown,
  keys: ReadonlySet<string>,
  { add, found }: Checking,
): Returned | undefined {
  if (written === undefined) return undefined
  const path = ['trigger', 'returns']
  if (written === '$last' || written === '$all') return written
  const place = typeof written === 'string' ? readPlace(written) : 'it is no text'
  if (typeof place === 'string') return add(path, `"returns" is "$last", "$all" or a place: ${place}.`)
  const { root } = place
  if (root === '$accountability') found.namesCaller = true
  if (root === '$env' || !(keys.has(root) || ownRoots.some((one) => one === root)))
    add(path, `There is no operation ${quote(root)}.`, () => suggestion(root, [...keys, '$trigger', '$last']))
  return place
}

/** Refuses a flow of an author that would say what others write of flows: they would be the authors of what it returns. */
function checkReplaced(trigger: CompiledTrigger, { access, limits, holdsFlows, add }: Checking): void {
  if (!limits || trusted.includes(access) || trigger.on !== 'items') return
  const replaced = trigger.collections.find((one) => holdsFlows?.(one))
  if (replaced !== undefined)
    add(
      ['trigger', 'returns'],
      `The writer of a row of ${quote(replaced)} is its author, so no flow of another replaces what they write.`,
      'Without "returns" it may refuse what is written.',
    )
}

export function problemsOf(definition: unknown, context: CheckContext): Problems {
  const problems = new Problems('INVALID_OPTIONS')
  checkFlow(definition, [], context, problems)
  return problems
}

/** Checks a trigger of some events, or of the one word that it is; undefined if it is none. */
type CheckTrigger = (
  trigger: WrittenTrigger,
  events: readonly EventName[],
  checking: Checking,
) => CompiledTrigger | undefined

/** Triggers that stand alone, by their word. */
const triggers = {
  flow: (trigger, _, checking) => {
    checkMembers(trigger, ['on', 'returns'], checking)
    return { on: 'flow' }
  },
  schedule: (trigger, _, checking) => checkSchedule(trigger, checking),
  webhook: (trigger, _, checking) => checkWebhook(trigger, checking),
  manual: (trigger, _, checking) => checkManual(trigger, checking),
} as const satisfies Readonly<Record<string, CheckTrigger>>

const alone = Object.keys(triggers) as (keyof typeof triggers)[] // the keys of the table above
const words: readonly string[] = [...eventNames, ...alone]

function checkTrigger(trigger: unknown, checking: Checking): CompiledTrigger | undefined {
  const { add } = checking
  if (!isRecord(trigger))
    return add(['trigger'], `A trigger is an object such as { "on": "flow" }, not ${quote(trigger)}.`)
  const { on } = trigger
  const names: readonly unknown[] = Array.isArray(on) ? on : [on]
  const isUnknown = (name: unknown) => !words.some((word) => word === name)
  if (names.some(isUnknown) || names.length === 0) {
    const unknown = names.find(isUnknown)
    return add(
      ['trigger', 'on'],
      `There is no trigger ${quote(unknown)}.`,
      () => suggestion(typeof unknown === 'string' ? unknown : '', words) ?? `Known: ${words.join(', ')}.`,
    )
  }
  const word = alone.find((one) => names.includes(one))
  if (word !== undefined && names.length > 1)
    return add(['trigger', 'on'], `The trigger ${quote(word)} stands alone.`)
  const check: CheckTrigger = word === undefined ? checkItems : triggers[word]
  return check(trigger, names.filter(isEvent), checking)
}

const moments = ['before', 'beforeCommit', 'after'] as const

const isEvent = (name: unknown): name is EventName => eventNames.some((one) => one === name)

function checkItems(
  trigger: WrittenTrigger,
  events: readonly EventName[],
  checking: Checking,
): CompiledTrigger | undefined {
  const { add, limits } = checking
  checkMembers(trigger, ['on', 'collections', 'when', 'returns'], checking)
  const when = moments.find((one) => one === trigger.when)
  if (!when)
    add(['trigger', 'when'], `"when" is "before", "beforeCommit" or "after", not ${quote(trigger.when)}.`)
  if (events.includes('items.read') && (when === 'beforeCommit' || when === 'after'))
    add(['trigger', 'when'], 'A read commits nothing: its flows run "before" it.')
  if (limits && events.includes('items.read') && !trusted.includes(checking.access))
    add(['trigger', 'on'], 'A flow of an author does not change what others read.')
  const collections = checkCollections(trigger.collections, checking)
  return collections && when && { on: 'items', events, collections, when }
}
