// Regular expressions for untrusted patterns. JavaScript's own can take exponential time, and cannot be stopped
// once they run; this one follows all its paths at once, so its time only grows with the text times the
// pattern, up to a bound.
import { fault } from '../errors/errors.ts'

export interface Pattern {
  /** True if the pattern occurs anywhere in the text; OUT_OF_TIME where that takes too long. `onPlaces` is called at each character with the number of places of the pattern that are tried there. */
  test(text: string, onPlaces?: (places: number) => void): boolean
}

/** Reads a pattern in JavaScript's syntax, without features that need backtracking. Returns the pattern, or a
 *  text that says what is wrong with it. */
export function readPattern(source: string): Pattern | string {
  const flags = ['u', ''].find((candidate) => isValid(source, candidate))
  if (flags === undefined) return 'it is not well formed'
  const unsupported = backtracking.find(({ sign }) => sign.test(source))
  if (unsupported) return `${unsupported.name} are not supported`
  // Each group inside of another is a few calls on the stack.
  if (source.split('(').length > maxGroups + 1) return `it has more than ${maxGroups} groups`
  const program: RegexStep[] = []
  const reader = new PatternReader(source, flags)
  write(reader.alternatives(), program)
  if (program.length > maxSteps) return `its repetitions unfold to more than ${maxSteps} steps`
  return { test: (text, onPlaces) => run(program, flags === 'u' ? [...text] : text.split(''), onPlaces) }
}

const maxSteps = 1_000
/** The maximum number of places that are tried in one text: they take about a second. */
const maxPlaces = 4_000_000
const maxGroups = 500

const backtracking = [
  { name: 'references to groups', sign: /(?<!\\)(?:\\\\)*\\(?:[1-9]|k<)/ },
  { name: 'lookarounds', sign: /(?<!\\)(?:\\\\)*\(\?<?[=!]/ },
]

function isValid(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags)
    return true
  } catch {
    return false
  }
}

type Tree =
  | { readonly kind: 'character'; readonly matches: (character: string) => boolean }
  | { readonly kind: 'edge'; readonly holds: (before: string, after: string) => boolean }
  | { readonly kind: 'sequence'; readonly parts: readonly Tree[] }
  | { readonly kind: 'choice'; readonly parts: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly part: Tree; readonly min: number; readonly max: number }

/** Splits a well-formed pattern at its groups, bars and quantifiers. The remaining atoms are single characters
 *  and classes, which JavaScript itself matches. */
class PatternReader {
  #at = 0
  readonly #source: string
  readonly #flags: string

  constructor(source: string, flags: string) {
    this.#source = source
    this.#flags = flags
  }

  alternatives(): Tree {
    const parts = [this.#sequence()]
    while (this.#take(/^\|/)) parts.push(this.#sequence())
    return { kind: 'choice', parts }
  }

  #sequence(): Tree {
    const parts: Tree[] = []
    while (this.#at < this.#source.length && !/^[|)]/.test(this.#rest)) parts.push(this.#quantified())
    return { kind: 'sequence', parts }
  }

  #quantified(): Tree {
    let part = this.#atom()
    for (let found = this.#take(quantifier); found; found = this.#take(quantifier)) {
      // A sign stands for the numbers and the comma that it has none of.
      const [, sign, min = sign === '+' ? 1 : 0, comma = sign, max = sign === '?' ? 1 : 0] = found
      part = {
        kind: 'repeat',
        part,
        min: Number(min),
        max: comma ? Number(max || endless) : Number(min),
      }
    }
    return part
  }

  #atom(): Tree {
    if (this.#take(/^\((?:\?:|\?<[^>]*>)?/)) {
      const inside = this.alternatives()
      this.#take(/^\)/)
      return inside
    }
    const edge = edges.find(({ sign }) => this.#take(sign))
    if (edge) return { kind: 'edge', holds: edge.holds }
    const single = this.#take(this.#flags === 'u' ? atomOfPoints : atomOfUnits)?.[0] ?? ''
    return { kind: 'character', matches: remembered(new RegExp(`^(?:${single})$`, this.#flags)) }
  }

  get #rest(): string {
    return this.#source.slice(this.#at)
  }

  #take(expected: RegExp): RegExpExecArray | null {
    const found = expected.exec(this.#rest)
    this.#at += found?.[0].length ?? 0
    return found
  }
}

const quantifier = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/
const endless = Number.POSITIVE_INFINITY

const atomOfPoints =
  /^(?:\[(?:\\.|[^\]\\])*\]|\\u\{[^}]*\}|\\[pP]\{[^}]*\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\x..|\\c.|\\.|.)/su
const atomOfUnits = /^(?:\[(?:\\.|[^\]\\])*\]|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[A-Za-z]|\\.|.)/s

const isWord = (character: string) => /^\w$/.test(character)
const edges: readonly {
  readonly sign: RegExp
  readonly holds: (before: string, after: string) => boolean
}[] = [
  { sign: /^\^/, holds: (before) => before === '' },
  { sign: /^\$/, holds: (_before, after) => after === '' },
  { sign: /^\\b/, holds: (before, after) => isWord(before) !== isWord(after) },
  { sign: /^\\B/, holds: (before, after) => isWord(before) === isWord(after) },
]

/** Caches results per character: testing a RegExp costs some 50 ns, and most text repeats a few characters. */
function remembered(single: RegExp): (character: string) => boolean {
  const known = new Map<string, boolean>()
  return (character) => {
    const answer = known.get(character) ?? single.test(character)
    if (known.size < 512) known.set(character, answer)
    return answer
  }
}

type RegexStep =
  | { readonly kind: 'character'; readonly matches: (character: string) => boolean }
  | { readonly kind: 'edge'; readonly holds: (before: string, after: string) => boolean }
  | { readonly kind: 'fork'; readonly to: readonly number[] }

/** Compiles a tree to steps that follow one another; forks have the other next steps. Stops once the program is
 *  too large. */
function write(tree: Tree, program: RegexStep[]): void {
  if (program.length > maxSteps) return
  if (tree.kind === 'sequence') for (const part of tree.parts) write(part, program)
  else if (tree.kind === 'choice') writeChoice(tree.parts, program)
  else if (tree.kind === 'repeat') writeRepeat(tree, program)
  else program.push(tree)
}

function writeChoice(parts: readonly Tree[], program: RegexStep[]): void {
  const [only, other] = parts
  if (only && !other) {
    write(only, program)
    return
  }
  const fork = program.push({ kind: 'fork', to: [] }) - 1
  const starts: number[] = []
  const ends: number[] = []
  for (const part of parts) {
    starts.push(program.length)
    write(part, program)
    ends.push(program.push({ kind: 'fork', to: [] }) - 1)
  }
  program[fork] = { kind: 'fork', to: starts }
  for (const end of ends) program[end] = { kind: 'fork', to: [program.length] }
}

/** Repeats a part until the program is too large. A part that adds no step is written once: repetitions inside of one another would take for ever. */
function writeRepeat({ part, min, max }: Extract<Tree, { kind: 'repeat' }>, program: RegexStep[]): void {
  for (let count = 0, before = -1; count < min && program.length > before; count++) {
    before = program.length
    write(part, program)
  }
  if (max === endless) {
    const start = program.push({ kind: 'fork', to: [] }) - 1
    write(part, program)
    program.push({ kind: 'fork', to: [start] })
    program[start] = { kind: 'fork', to: [start + 1, program.length] }
    return
  }
  const forks: number[] = []
  for (let count = min; count < max && program.length <= maxSteps; count++) {
    forks.push(program.push({ kind: 'fork', to: [] }) - 1)
    write(part, program)
  }
  for (const fork of forks) program[fork] = { kind: 'fork', to: [fork + 1, program.length] }
}

/** Follows every path through the program at once, one character at a time. */
function run(
  program: readonly RegexStep[],
  characters: readonly string[],
  onPlaces?: (places: number) => void,
): boolean {
  let places: number[] = []
  let tried = 0
  for (let at = 0; at <= characters.length; at++) {
    const before = characters[at - 1] ?? ''
    const after = characters[at] ?? ''
    // A match may start anywhere, so each place in the text starts one more path.
    const open = [...places, 0]
    // All places that can be reached without reading a character.
    const reached = new Set<number>()
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (reached.has(place)) continue
      reached.add(place)
      const step = program[place]
      if (step?.kind === 'fork') open.push(...step.to)
      if (step?.kind === 'edge' && step.holds(before, after)) open.push(place + 1)
    }
    onPlaces?.(reached.size)
    tried += reached.size
    if (tried > maxPlaces) throw fault('OUT_OF_TIME', 'A pattern takes too long.')
    if (reached.has(program.length)) return true
    places = []
    for (const place of reached) {
      const step = program[place]
      if (step?.kind === 'character' && after !== '' && step.matches(after)) places.push(place + 1)
    }
  }
  return false
}
