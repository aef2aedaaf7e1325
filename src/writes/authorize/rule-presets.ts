import type { RuleRead } from '../../access/rules.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { isRecord } from '../../values/guards.ts'
import { type Circumstances, readVariable, variableValue } from '../../vocabulary/variables.ts'

/** Returns the names of the fields that a rule fills in because the caller leaves them out. */
export const presetNamesOf = ({ presets }: RuleRead, payload: ItemData): readonly string[] =>
  Object.keys(presets).filter((name) => payload[name] === undefined)

/** Returns the presets of a rule for some fields. Undefined if a variable in them has no value. */
export function presetsFor(
  { presets }: RuleRead,
  names: readonly string[],
  circumstances: Circumstances,
): ItemData | undefined {
  const values: Record<string, unknown> = {}
  for (const name of names) {
    const value = filledIn(presets[name], circumstances)
    if (value === undefined) return undefined
    values[name] = value
  }
  return values
}

/** Returns a preset with the values of its variables, at any depth. Undefined if one has no value. */
function filledIn(preset: unknown, circumstances: Circumstances): unknown {
  const variable = readVariable(preset)
  if (variable) return variableValue(variable, circumstances) ?? undefined
  if (typeof preset !== 'object' || preset === null || !holdsVariable(preset)) return preset
  const parts = Object.entries(preset).map(([name, one]) => [name, filledIn(one, circumstances)] as const)
  if (parts.some(([, value]) => value === undefined)) return undefined
  return Array.isArray(preset) ? parts.map(([, value]) => value) : Object.fromEntries(parts)
}

const holdsVariable = (value: unknown): boolean =>
  readVariable(value) !== undefined ||
  (Array.isArray(value) || isRecord(value) ? Object.values(value).some(holdsVariable) : false)
