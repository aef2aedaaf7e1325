// Checks of options objects. A misspelt name that is ignored does something else than was meant: a dry run deletes.
import { fault, type Path, quote } from './errors.ts'
import { Problems } from './problems.ts'
import { wordHint } from './suggest.ts'

/** The kind of value that an option takes. */
export interface OptionKind {
  readonly holds: (given: unknown) => boolean
  readonly says: string
}

const kind = (says: string, holds: OptionKind['holds']): OptionKind => ({ holds, says })

/** Any value; its reader checks it. */
export const anything = kind('is anything', () => true)
export const flag = kind('is true or false', (given) => typeof given === 'boolean')
export const text = kind('is a text', (given) => typeof given === 'string')
export const list = kind('is a list', (given) => Array.isArray(given))
export const callback = kind('is a function', (given) => typeof given === 'function')
export const abortSignal = kind(
  'is an AbortSignal',
  (given) => typeof Reflect.get(Object(given), 'throwIfAborted') === 'function',
)

/** The names that an options object may have. */
export type OptionNames = ReadonlyMap<string, OptionKind>

/** All names of an options object, each with the kind of its value.
 *  @example const names = optionNames<{ database?: boolean }>({ database: flag }) */
export const optionNames = <Options extends object>(
  kinds: Readonly<Record<keyof Options & string, OptionKind>>,
): OptionNames => new Map<string, OptionKind>(Object.entries(kinds))

/** Refuses unknown options and suggests the nearest name. It runs for each call, so it costs one lookup per given name. */
export function checkOptions(given: unknown, names: OptionNames, path: Path = []): void {
  if (typeof given !== 'object' || given === null) throw noOptions(given, path)
  for (const name in given) {
    const value: unknown = Reflect.get(given, name)
    if (value === undefined || names.get(name)?.holds(value)) continue
    refuseWrong(given, names, path)
    return
  }
}

const noOptions = (given: unknown, path: Path) =>
  fault('INVALID_OPTIONS', `Options are an object, not ${quote(given)}.`, { path })

function refuseWrong(given: object, names: OptionNames, path: Path): void {
  const problems = new Problems('INVALID_OPTIONS')
  // Inherited members are not checked: the caller did not write them.
  for (const [name, value] of Object.entries(given)) {
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
