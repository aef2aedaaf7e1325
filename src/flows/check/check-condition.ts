// Checks the condition of an operation: the roots that it names, and its shape.
import { isEngineError, type Path, quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import { isRecord } from '../../values/guards.ts'
import { isJunction } from '../../vocabulary/junctions.ts'
import { isConstant } from '../chain/compile-value.ts'
import { readPlace } from '../chain/place.ts'
import { type Condition, readCondition } from '../condition.ts'
import type { OptionRow } from '../operation-type.ts'
import type { OptionReading } from './check-context.ts'
import type { CompiledOperation } from './compiled.ts'

/** Reads the condition of an operation, as far as no template stands in it. Returns it if it is the same in each run. */
export function checkCondition(
  rows: readonly (readonly [string, OptionRow])[],
  options: CompiledOperation['options'],
  { path, checking }: OptionReading,
): Condition | undefined {
  const name = rows.find(([, { role }]) => role === 'condition')?.[0]
  const compiled = options.find(([one]) => one === name)?.[1]
  if (name === undefined || !compiled || !isConstant(compiled) || compiled.value === undefined)
    return undefined
  let variables = 0
  try {
    const onVariable = () => void variables++
    const condition = readCondition(compiled.value, [name], { caller: {}, now: new Date(0), onVariable })
    return variables === 0 ? condition : undefined
  } catch (error) {
    if (!isEngineError(error)) throw error
    checking.add([...path, ...(error.path ?? [name])], error.message, error.hint)
    return undefined
  }
}

/** Checks the roots that a condition names. */
export function checkRoots(filter: unknown, path: Path, reading: OptionReading): void {
  if (!isRecord(filter)) return
  const { roots, checking } = reading
  for (const name of Object.keys(filter)) {
    const inner: unknown = Reflect.get(filter, name)
    if (isJunction(name)) {
      if (Array.isArray(inner))
        for (const [at, one] of inner.entries()) checkRoots(one, [...path, name, at], reading)
      continue
    }
    const place = readPlace(name)
    const root = typeof place === 'string' ? name : place.root
    if (root === '$accountability') checking.found.namesCaller = true
    if (root === '$env') checking.add([...path, name], 'A condition looks at no secrets.')
    else if (!roots.has(root))
      checking.add(
        [...path, name],
        `A condition looks at the data chain, and ${quote(root)} has not run when this operation does.`,
        () =>
          suggestion(root, roots) ?? `Known here: ${[...roots].filter((one) => one !== '$env').join(', ')}.`,
      )
  }
}
