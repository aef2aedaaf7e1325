/** Names of members and positions in arrays, from the outside in. */
export type JsonPath = readonly (string | number)[]

/** The maximum number of steps of a path. */
const deepest = 10

/** Reads a path into a JSON value: `size.w`, `items[0].name`, `["a key"].x`. Returns the path, or a text that
 *  says what is wrong with it. */
export function readJsonPath(text: string): JsonPath | string {
  const steps: (string | number)[] = []
  let rest = text.trim()
  if (rest === '') return 'the path is empty'
  while (rest !== '') {
    const match = step.exec(rest)
    if (!match) return `${JSON.stringify(rest.slice(0, 32))} is not a step; write name, [0] or ["name"]`
    const [whole, index, quoted, name] = match
    const isFirst = steps.length === 0
    if (name !== undefined && isFirst === whole.startsWith('.')) return 'a dot stands between two names'
    steps.push(index === undefined ? (quoted ?? name ?? '') : Number(index))
    rest = rest.slice(whole.length)
  }
  if (steps.length > deepest) return `the path has ${steps.length} steps; the most is ${deepest}`
  return steps
}

// Names with quotes, backslashes or control characters cannot be written in every database's path language.
const step =
  /^(?:\[(\d{1,9})\]|\["([^"\\\p{Cc}\p{Cs}]{1,255})"\]|\.?([^.[\]"'\\$*?@()\s,\p{Cc}\p{Cs}]{1,255}))/u

export function atPath(value: unknown, path: JsonPath): unknown {
  let found = value
  for (const name of path) {
    if (typeof name === 'number') found = Array.isArray(found) ? found[name] : undefined
    else found = isPlainObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return found
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
