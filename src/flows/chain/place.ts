// Places in the data chain: `$trigger.payload.title`, `read[0].name`, `$last["k.x"]`.

/** A place in the data chain: a root, and the steps below it. */
export interface ChainPlace {
  readonly text: string
  readonly root: string
  readonly steps: readonly (string | number)[]
}

/** Maximum number of steps below a root. */
const deepest = 20
/** Maximum number of characters of a place. */
const longest = 500

const rootName = /^\$?[A-Za-z_][\w-]*/
const step = /^(?:\.([\w$-]+)|\[(\d{1,9})\]|\["([^"]*)"\]|\['([^']*)'\])/

/** Reads a place. Returns a text that says what is wrong if it is none. */
export function readPlace(text: string): ChainPlace | string {
  if (text === '') return 'it is empty'
  if (text.length > longest) return `it has more than ${longest} characters`
  const [root] = rootName.exec(text) ?? []
  if (root === undefined) return `${JSON.stringify(text)} begins with no name`
  const steps: (string | number)[] = []
  let rest = text.slice(root.length)
  while (rest !== '') {
    const match = step.exec(rest)
    if (!match) return `${JSON.stringify(rest)} is no step; write .name, [0] or ["name"]`
    const [whole, name, index, quoted, single] = match
    steps.push(index === undefined ? (name ?? quoted ?? single ?? '') : Number(index))
    rest = rest.slice(whole.length)
  }
  if (steps.length > deepest) return `it has ${steps.length} steps; the most is ${deepest}`
  return { text, root, steps }
}

/** Returns what is at some steps below a value; undefined if there is nothing. Only what a value has of its own is found. */
export function below(value: unknown, steps: ChainPlace['steps']): unknown {
  let found = value
  for (const one of steps) found = child(found, one)
  return found
}

function child(value: unknown, step: string | number): unknown {
  if (typeof value === 'string') return step === 'length' ? value.length : undefined
  if (typeof value !== 'object' || value === null) return undefined
  return Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined
}
