// Checks who may start a flow from outside: it is said in words, and has no default.
import { isEngineError, type Path, quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import { isRecord } from '../../values/guards.ts'
import { isJunction } from '../../vocabulary/junctions.ts'
import { readPlace } from '../chain/place.ts'
import { type Condition, readCondition } from '../condition.ts'
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
  const isFine = checkNames(input, path, add)
  let variables = 0
  const onVariable = () => void variables++
  try {
    const condition = readCondition(input, path, { caller: {}, now: new Date(0), onVariable })
    if (variables > 0) add(path, 'A filter on the caller has values alone, and no variables.')
    return isFine && variables === 0 ? condition : undefined
  } catch (error) {
    if (!isEngineError(error)) throw error
    add(error.path ?? path, error.message, error.hint)
    return undefined
  }
}

/** Checks the names of a filter. One that looks at nothing would let in everybody. */
function checkNames(filter: object, at: Path, add: Checking['add']): boolean {
  let isFine = true
  for (const [name, inner] of Object.entries(filter)) {
    if (isJunction(name) && Array.isArray(inner) && inner.length > 0) {
      for (const [index, one] of inner.entries())
        if (isRecord(one) && !checkNames(one, [...at, name, index], add)) isFine = false
      continue
    }
    const place = readPlace(name)
    const root = typeof place === 'string' ? name : place.root
    if (membersOfCaller.includes(root)) continue
    isFine = false
    add(
      [...at, name],
      `A filter on the caller looks at ${membersOfCaller.map(quote).join(', ')}, and not at ${quote(name)}.`,
      () => suggestion(root, membersOfCaller),
    )
  }
  return isFine
}
