// Checks of options objects. A misspelt name that is ignored does something else than was meant: a dry run deletes.
import { fault, type Path, quote } from './errors.ts'
import { Problems } from './problems.ts'
import { wordHint } from './suggest.ts'

/** The kind of value that an option takes. */
export interface OptionKind {
  readonly holds: (input: unknown) => boolean
  readonly says: string
}

const kind = (says: string, holds: OptionKind['holds']): OptionKind => ({ holds, says })

/** Any value; its reader checks it. */
export const anything = kind('is anything', () => true)
export const flag = kind('is true or false', (input) => typeof input === 'boolean')
export const text = kind('is a text', (input) => typeof input === 'string')
export const list = kind('is a list', (input) => Array.isArray(input))
export const callback = kind('is a function', (input) => typeof input === 'function')
export const abortSignal = kind(
  'is an AbortSignal',
  (input) => typeof Reflect.get(Object(input), 'throwIfAborted') === 'function',
)

type OptionNames = ReadonlyMap<string, OptionKind>

/** All names of an options object, each with the kind of its value.
 *  @example const names = optionNames<{ database?: boolean }>({ database: flag }) */
export const optionNames = <Options extends object>(
  kinds: Readonly<Record<keyof Options & string, OptionKind>>,
): OptionNames => new Map<string, OptionKind>(Object.entries(kinds))

/** Refuses unknown options and suggests the nearest name. It runs for each call, so it costs one lookup per given name. */
export function checkOptions(input: unknown, names: OptionNames, path: Path = []): void {
  if (typeof input !== 'object' || input === null) throw noOptions(input, path)
  for (const name in input) {
    const value: unknown = Reflect.get(input, name)
    if (value === undefined || names.get(name)?.holds(value)) continue
    refuseWrong(input, names, path)
    return
  }
}

const noOptions = (input: unknown, path: Path) =>
  fault('INVALID_OPTIONS', `Options are an object, not ${quote(input)}.`, { path })

function refuseWrong(input: object, names: OptionNames, path: Path): void {
  const problems = new Problems('INVALID_OPTIONS')
  // Inherited members are not checked: the caller did not write them.
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue
    const known = names.get(name)
    if (!known)
      problems.add([...path, name], `There is no option ${quote(name)}.`, () =>
        wordHint(names.has('signal') ? 'callOption' : 'option', name, [...names.keys()]),
      )
    else if (!known.holds(value))
      problems.add([...path, name], `"${name}" ${known.says}, not ${quote(value)}.`)
  }
  problems.throwIfAny()
}
