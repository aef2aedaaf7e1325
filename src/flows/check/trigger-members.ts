// Checks the members that several triggers have.
import { quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import { type Checking, checkNames } from './check-context.ts'

/** A trigger as it is written. */
export type WrittenTrigger = Readonly<Record<string, unknown>>

export const checkMembers = (trigger: WrittenTrigger, legal: readonly string[], checking: Checking): void =>
  checkNames(trigger, legal, { path: ['trigger'], says: 'This trigger has no' }, checking)

/** Returns a member that is one of some words. The first is the default. */
export function checkWord<const Words extends readonly [string, ...string[]]>(
  trigger: WrittenTrigger,
  name: string,
  words: Words,
  { add }: Checking,
): Words[number] {
  const input = trigger[name] ?? words[0]
  const found = words.find((word) => word === input)
  if (found === undefined)
    add(['trigger', name], `"${name}" is ${words.map(quote).join(' or ')}, not ${quote(input)}.`)
  return found ?? words[0]
}

/** Returns the names of collections. */
export function checkCollections(
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
