// Checks who may start a flow from outside: it is said in words, and has no default.
import { quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import { isRecord } from '../../values/guards.ts'
import type { Condition } from '../condition.ts'
import { readFilter, rootsIn } from './check-condition.ts'
import type { Checking } from './check-context.ts'

/** Subject of a filter on the caller. */
const membersOfCaller = ['user', 'role', 'roles', 'admin']

const path = ['trigger', 'allow']

/** Returns who may start a flow; undefined if that is not said. */
export function checkAllow<Word extends string>(
  input: unknown,
  words: readonly Word[],
  { add }: Checking,
): Word | Condition | undefined {
  const word = words.find((one) => one === input)
  if (word !== undefined) return word
  if (!isRecord(input)) {
    add(
      path,
      `"allow" says who may start the flow: ${words.map(quote).join(', ')} or a filter on the caller, and not ${quote(input)}.`,
      () => suggestion(String(input), words) ?? 'Of editors: { "role": { "_eq": "editor" } }.',
    )
    return undefined
  }
  // One that looks at nothing would let in everybody.
  const strange = [...rootsIn(input, path)].filter(([root]) => !membersOfCaller.includes(root))
  for (const [root, at] of strange)
    add(
      at,
      `A filter on the caller looks at ${membersOfCaller.map(quote).join(', ')}, and not at ${quote(at.at(-1))}.`,
      () => suggestion(root, membersOfCaller),
    )
  const { condition, hasVariables } = readFilter(input, path, (error) =>
    add(error.path ?? path, error.message, error.hint),
  )
  if (condition && hasVariables) add(path, 'A filter on the caller has values alone, and no variables.')
  return strange.length > 0 || hasVariables ? undefined : condition
}
