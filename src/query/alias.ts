import { type Path, quote } from '../errors/errors.ts'
import { wrongName } from '../schema/forbidden-names.ts'
import { readCall } from './call.ts'
import { type QueryReader, readObject } from './reader.ts'

/** Reads `{ written: 'year(published_at)' }`: a new name, and the field or function that it means. */
export function readAlias(
  value: unknown,
  path: Path,
  reader: QueryReader,
): Readonly<Record<string, string>> | undefined {
  const { problems, limits } = reader
  const entries = readObject(value, path, reader, '"alias"') ?? []
  if (entries.length > limits.aliases) {
    problems.add(path, `"alias" takes at most ${limits.aliases} names.`)
    return undefined
  }
  const read: Record<string, string> = {}
  for (const [name, target] of entries) {
    const text = typeof target === 'string' ? target.trim() : ''
    const mistake =
      wrongName(name) ?? (text === '' ? `stands for a field, not for ${quote(target)}` : targetMistake(text))
    if (mistake) problems.add([...path, name], `The alias ${quote(name)} ${mistake}.`)
    else read[name] = text
  }
  return Object.keys(read).length === 0 ? undefined : read
}

function targetMistake(target: string): string | undefined {
  const call = readCall(target)
  if (typeof call === 'string') return `stands for ${quote(target)}, which is not understood: ${call}`
  const field = call ? call.field : target
  if (field.includes('.')) return `stands for a field of its own collection; ${quote(target)} is a path`
  const wrong = wrongName(field)
  return wrong && `stands for a field; ${quote(target)} cannot be one, because its name ${wrong}`
}
