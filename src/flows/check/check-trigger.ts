// Checks the trigger of a definition.
import { type EventName, eventNames } from '../../engine/events.ts'
import { quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import { isRecord } from '../../values/guards.ts'
import { laterTriggers } from '../operations/operation-types.ts'
import { type Checking, trusted } from './check-context.ts'
import type { CompiledTrigger } from './compiled.ts'

const words = [...eventNames, 'flow']

/** Checks a trigger; undefined if it is none. */
export function checkTrigger(trigger: unknown, checking: Checking): CompiledTrigger | undefined {
  const { add } = checking
  if (!isRecord(trigger)) {
    add(['trigger'], `A trigger is an object such as { "on": "flow" }, not ${quote(trigger)}.`)
    return undefined
  }
  const { on } = trigger
  const names = Array.isArray(on) ? on : [on]
  const isUnknown = (name: unknown) => !words.some((word) => word === name)
  if (names.some(isUnknown) || names.length === 0) {
    const unknown: unknown = names.find(isUnknown)
    const word = typeof unknown === 'string' ? unknown : ''
    const isLater = laterTriggers.includes(word)
    add(
      ['trigger', 'on'],
      isLater
        ? `The trigger ${quote(unknown)} is not in this version.`
        : `There is no trigger ${quote(unknown)}.`,
      () => (isLater ? undefined : (suggestion(word, words) ?? `Known: ${words.join(', ')}.`)),
    )
    return undefined
  }
  if (names.includes('flow')) return ofFlow(trigger, checking)
  return ofItems(trigger, names.filter(isEvent), checking)
}

const isEvent = (name: unknown): name is EventName => eventNames.some((one) => one === name)

function checkMembers(trigger: object, legal: readonly string[], { add }: Checking): void {
  for (const name of Object.keys(trigger))
    if (!legal.includes(name))
      add(['trigger', name], `This trigger has no ${quote(name)}.`, () => suggestion(name, legal))
}

function ofFlow(trigger: object, checking: Checking): CompiledTrigger {
  checkMembers(trigger, ['on', 'returns'], checking)
  return { on: 'flow' }
}

function ofItems(
  trigger: Readonly<Record<string, unknown>>,
  events: readonly EventName[],
  checking: Checking,
): CompiledTrigger | undefined {
  const { add, limits } = checking
  checkMembers(trigger, ['on', 'collections', 'when', 'returns'], checking)
  const { when } = trigger
  if (when === 'after') add(['trigger', 'when'], 'Flows that run "after" a commit are not in this version.')
  else if (when !== 'before' && when !== 'beforeCommit')
    add(['trigger', 'when'], `"when" is "before" or "beforeCommit", not ${quote(when)}.`)
  if (events.includes('items.read') && when === 'beforeCommit')
    add(['trigger', 'when'], 'A read commits nothing: its flows run "before" it.')
  if (limits && events.includes('items.read') && !trusted.includes(checking.access))
    add(['trigger', 'on'], 'A flow of an author does not change what others read.')
  const collections = checkCollections(trigger.collections, checking)
  if (!collections || (when !== 'before' && when !== 'beforeCommit')) return undefined
  return { on: 'items', events, collections, when }
}

function checkCollections(
  input: unknown,
  { add, collections: known, limits }: Checking,
): readonly string[] | undefined {
  const path = ['trigger', 'collections']
  if (!Array.isArray(input) || input.length === 0 || !input.every((one) => typeof one === 'string')) {
    add(path, `"collections" is a list of names, not ${quote(input)}.`)
    return undefined
  }
  for (const [at, name] of input.entries()) {
    if (limits && !limits.collections.includes(name))
      add([...path, at], `Flows of this collection do not hear of ${quote(name)}.`, () =>
        suggestion(name, limits.collections),
      )
    else if (known && !known.has(name))
      add([...path, at], `There is no collection ${quote(name)}.`, () => suggestion(name, known))
  }
  return [...new Set<string>(input)]
}
