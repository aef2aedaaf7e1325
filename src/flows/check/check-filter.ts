// Checks filters that are conditions, of operations and on callers: their shape, and the roots that they name.
import { type EngineError, isEngineError, type Path, quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import { isRecord } from '../../values/guards.ts'
import { isJunction } from '../../vocabulary/junctions.ts'
import { isConstant } from '../chain/compile-value.ts'
import { readPlace } from '../chain/place.ts'
import { type Condition, readCondition } from '../condition.ts'
import type { Checking, OptionReading } from './check-context.ts'
import type { CompiledOperation } from './compiled.ts'

/** Reads a filter without templates. Returns its condition, undefined if it has none, and whether variables stand in it. */
function readFilter(filter: unknown, path: Path, report: (error: EngineError) => void) {
  let hasVariables = false
  const onVariable = () => {
    hasVariables = true
  }
  let condition: Condition | undefined
  try {
    condition = readCondition(filter, path, { caller: {}, now: new Date(0), onVariable })
  } catch (error) {
    if (!isEngineError(error)) throw error
    report(error)
  }
  return { condition, hasVariables }
}

/** Returns the roots that a filter names, each with its place; and junctions that hold nothing. */
function* rootsIn(filter: unknown, path: Path): Generator<readonly [string, Path]> {
  if (!isRecord(filter)) return
  for (const name of Object.keys(filter)) {
    const inner: unknown = Reflect.get(filter, name)
    const place = readPlace(name)
    if (!isJunction(name) || !Array.isArray(inner) || inner.length === 0)
      yield [typeof place === 'string' ? name : place.root, [...path, name]]
    else for (const [at, one] of inner.entries()) yield* rootsIn(one, [...path, name, at])
  }
}

/** Reads the condition of an operation where it contains no template. Returns it if it is the same in each run. */
export function checkCondition(
  options: CompiledOperation['options'],
  { path, type, checking }: OptionReading,
): Condition | undefined {
  const [name, compiled] = options.find(([one]) => type.options[one]?.role === 'condition') ?? []
  if (name === undefined || !compiled || !isConstant(compiled) || compiled.value === undefined)
    return undefined
  const { condition, hasVariables } = readFilter(compiled.value, [name], (error) =>
    checking.add([...path, ...(error.path ?? [name])], error.message, error.hint),
  )
  return hasVariables ? undefined : condition
}

export function checkRoots(filter: unknown, path: Path, { roots, checking }: OptionReading): void {
  for (const [root, at] of rootsIn(filter, path)) {
    if (root === '$accountability') checking.found.namesCaller = true
    if (root === '$env') checking.add(at, 'A condition looks at no secrets.')
    else if (!isJunction(root) && !roots.has(root))
      checking.add(
        at,
        `A condition looks at the data chain, and ${quote(root)} has not run when this operation does.`,
        () =>
          suggestion(root, roots) ?? `Known here: ${[...roots].filter((one) => one !== '$env').join(', ')}.`,
      )
  }
}

/** Subject of a filter on the caller. */
const membersOfCaller = ['user', 'role', 'roles', 'admin']

/** Returns who may start a flow; undefined if that is not said. */
export function checkAllow<Word extends string>(
  input: unknown,
  words: readonly Word[],
  { add }: Checking,
): Word | Condition | undefined {
  const path = ['trigger', 'allow']
  const word = words.find((one) => one === input)
  if (word !== undefined) return word
  if (!isRecord(input))
    return add(
      path,
      `"allow" says who may start the flow: ${words.map(quote).join(', ')} or a filter on the caller, and not ${quote(input)}.`,
      () => suggestion(String(input), words) ?? 'Of editors: { "role": { "_eq": "editor" } }.',
    )
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
