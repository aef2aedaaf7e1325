import { type EventName, eventNames } from '../../engine/events.ts'
import { quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import { isRecord } from '../../values/guards.ts'
import {
  type Checking,
  checkCollections,
  checkMembers,
  trusted,
  type WrittenTrigger,
} from './check-context.ts'
import { checkManual, checkSchedule, checkWebhook } from './check-outside-trigger.ts'
import type { CompiledTrigger } from './compiled.ts'

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

export function checkTrigger(trigger: unknown, checking: Checking): CompiledTrigger | undefined {
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
