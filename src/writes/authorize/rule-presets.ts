import type { RuleRead } from '../../access/rules.ts'
import type { ItemData } from '../../plan/write/changes.ts'
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
    const preset = presets[name]
    const variable = readVariable(preset)
    const value = variable ? variableValue(variable, circumstances) : preset
    if (value === undefined || (variable && value === null)) return undefined
    values[name] = value
  }
  return values
}
