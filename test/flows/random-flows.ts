// Random flows, and random payloads to run them with.
import type { AnyOperationDefinition, FlowDefinition } from '../../src/flows.ts'
import type { Random } from '../property/seeded-random.ts'

const texts = ['tea', 'a tea', 'Tee', '', '5', 'true', '[1,2]', '{"a":7}', 'é{', '}}', '"q"']
const numbers = [0, 1, 2, 5, -3, 0.5]

/** Returns a value as `$trigger` may bring it. */
export function randomPayload(random: Random, depth = 0): unknown {
  const small = () =>
    random.do<unknown>(
      () => random.one(numbers),
      () => random.one(texts),
      () => random.chance(0.5),
      () => null,
    )
  const value = () => (depth < 2 && random.chance(0.3) ? randomPayload(random, depth + 1) : small())
  if (depth > 0 && random.chance(0.4)) return random.many(0, 3, value)
  const payload: Record<string, unknown> = {}
  for (const name of members) if (random.chance(0.7)) payload[name] = value()
  payload.n = random.one(numbers)
  payload.t = random.one(texts)
  payload.list = random.many(0, 4, value)
  if (random.chance(0.6)) payload['k.x'] = small()
  return payload
}

const members = ['a', 'b', 'n', 't', 'o']

/** What a random flow knows at one of its operations. */
interface Surroundings {
  readonly random: Random
  /** Names of the operations before it. */
  readonly upstream: readonly string[]
  readonly isInside: boolean
  /** Flows that it may start. */
  readonly flows: readonly string[]
  readonly depth: number
}

/** Returns flows of which each may start those behind it. */
export function randomFlows(random: Random): FlowDefinition[] {
  const names = random.many(1, 3, (index) => `flow ${index}`)
  return names.map((name, index) => {
    const known = { random, upstream: [], isInside: false, flows: names.slice(index + 1), depth: 0 }
    const { operations, first } = randomOperations(known, `${'abc'[index]}`)
    const returns = random.chance(0.4) && {
      returns: random.chance(0.5) ? random.one(Object.keys(operations)) : '$trigger.n',
    }
    return { name, trigger: { on: 'flow', ...returns }, first, operations }
  })
}

/** Returns operations that follow each other as they like, but never in a circle. */
function randomOperations(known: Surroundings, prefix: string) {
  const { random, depth } = known
  const names = random.many(1, depth === 0 ? 6 : 3, (index) => `${prefix}${index}`)
  const follows = (index: number) => {
    const later = names.slice(index + 1)
    return random.chance(0.75) && later.length > 0 ? random.one(later.slice(0, 3)) : undefined
  }
  const edges = names.map((_, index) => ({ resolve: follows(index), reject: follows(index) }))
  const before = new Map<string, Set<string>>(names.map((name) => [name, new Set()]))
  for (const [index, name] of names.entries())
    for (const next of Object.values(edges[index] ?? {}))
      if (next !== undefined)
        for (const one of [name, ...(before.get(name) ?? [])]) before.get(next)?.add(one)
  const reached = names.filter((name, index) => index === 0 || before.get(name)?.has(`${prefix}0`))
  const operations: Record<string, AnyOperationDefinition> = {}
  for (const [index, name] of names.entries()) {
    if (!reached.includes(name)) continue
    const { resolve, reject } = edges[index] ?? {}
    const upstream = [...known.upstream, ...reached.filter((one) => before.get(name)?.has(one))]
    operations[name] = {
      ...randomOperation({ ...known, upstream }, name),
      ...(resolve !== undefined && { resolve }),
      ...(reject !== undefined && { reject }),
    }
  }
  return { operations, first: `${prefix}0` }
}

function randomOperation(known: Surroundings, name: string): AnyOperationDefinition {
  const { random, flows, depth } = known
  const type = random.one([
    'condition',
    'condition',
    'transform',
    'transform',
    'transform',
    'log',
    'throw-error',
    ...(depth < 3 ? ['for-each'] : []),
    ...(flows.length > 0 ? ['trigger'] : []),
  ])
  const options = {
    condition: () => ({ filter: randomFilter(known) }),
    transform: () => ({ json: randomValue(known) }),
    log: () => ({ message: randomValue(known) }),
    'throw-error': () => ({
      ...(random.chance(0.7) && { code: random.one(['TOO_COLD', 'FORBIDDEN']) }),
      ...(random.chance(0.5) && { status: random.one([400, 409, 418, 503]) }),
      message: `own ${randomText(known)}`,
      ...(random.chance(0.4) && { extensions: { a: randomValue(known, 1) } }),
    }),
    'for-each': () => ({
      list: random.chance(0.5) ? '{{ $trigger.list }}' : randomList(known),
      ...randomOperations({ ...known, isInside: true, depth: depth + 1 }, `${name}_`),
    }),
    trigger: () => ({ flow: random.one(flows), payload: randomValue(known) }),
  }
  return { type, options: (options[type as keyof typeof options] ?? options.log)() }
}

const randomList = (known: Surroundings): unknown =>
  known.random.chance(0.5) ? place(known) : known.random.many(0, 3, () => randomValue(known, 1))

function randomValue(known: Surroundings, depth = 0): unknown {
  const { random } = known
  const ways: (() => unknown)[] = [
    () => place(known),
    () => place(known),
    () => randomText(known),
    () => random.one(numbers),
    () => random.one([true, false, null]),
  ]
  if (depth < 3)
    ways.push(
      () => random.many(0, 3, () => randomValue(known, depth + 1)),
      () =>
        Object.fromEntries(
          random.some(['a', 'n', 't', 'k.x'], 3).map((name) => [name, randomValue(known, depth + 1)]),
        ),
    )
  return random.do(...ways)
}

const randomText = (known: Surroundings): string =>
  known.random
    .many(1, 3, () =>
      known.random.chance(0.4) ? place(known) : known.random.one(['tea', ' ', '5', '[', ',']),
    )
    .join('')

/** Returns a template of a place that is there, that is not, or that only a prototype has. */
function place(known: Surroundings): string {
  const { random, upstream, isInside } = known
  const root = random.one([
    '$trigger',
    '$trigger',
    '$last',
    ...upstream,
    ...(isInside ? ['$item', '$item', '$index'] : []),
  ])
  const steps = random.many(0, 2, () => random.one(pathSteps))
  const fallback = random.chance(0.3) ? ` ?? "${random.one(['tea', '', 'b c'])}"` : ''
  const space = random.one(['', ' ', ' ', '  '])
  return `{{${space}${root}${steps.join('')}${fallback}${space}}}`
}

const pathSteps = [
  ...[
    '.n',
    '.n',
    '.t',
    '.t',
    '.a',
    '.b',
    '.o',
    '.list',
    '.list',
    '["k.x"]',
    '["a"]',
    '[0]',
    '[1]',
    '.0',
    '.code',
  ],
  ...['.status', '.none', '.constructor', '.__proto__', '.toString', '.hasOwnProperty'],
]

function randomFilter(known: Surroundings, depth = 0): Record<string, unknown> {
  const { random, upstream, isInside } = known
  const inside = () => randomFilter(known, depth + 1)
  if (depth < 2 && random.chance(0.3)) return { [random.one(['_and', '_or'])]: random.many(1, 3, inside) }
  const root = random.one(['$trigger', '$trigger', '$last', ...upstream, ...(isInside ? ['$item'] : [])])
  return { [root]: inValue(known, 0) }
}

function inValue(known: Surroundings, depth: number): unknown {
  const { random } = known
  const below = () => inValue(known, depth + 1)
  return random.do<unknown>(
    () => leaf(known),
    () => leaf(known),
    () => ({ [random.one(['n', 't', 'a', 'o'])]: depth < 3 ? below() : leaf(known) }),
    () => ({ n: leaf(known), ...(random.chance(0.4) && { t: leaf(known) }) }),
    () => ({ list: { [random.one(['_some', '_none'])]: depth < 2 ? below() : leaf(known) } }),
    () => ({ [random.one(['_and', '_or'])]: random.many(1, 2, () => (depth < 2 ? below() : leaf(known))) }),
  )
}

function leaf(known: Surroundings): Record<string, unknown> {
  const { random } = known
  const operand = () =>
    random.do<unknown>(
      () => random.one(numbers),
      () => random.one(texts),
      () => '{{ $trigger.n }}',
      () => '{{ $trigger.t }}',
      () => `x${place(known)}`,
    )
  return random.do<Record<string, unknown>>(
    () => ({ [random.one(['_gt', '_lt'])]: operand() }),
    () => ({ [random.one(['_eq', '_neq'])]: random.chance(0.2) ? random.chance(0.5) : operand() }),
    () => ({ [random.one(['_eq', '_neq'])]: random.chance(0.5) ? place(known) : operand() }),
    () => ({ [random.one(['_in', '_nin'])]: random.many(0, 3, operand) }),
    () => ({ [random.one(['_in', '_nin'])]: random.chance(0.7) ? '{{ $trigger.list }}' : place(known) }),
    () => ({ _contains: random.one(['tea', 'e', '{{ $trigger.t }}']) }),
    () => ({ [random.one(['_null', '_nnull'])]: random.chance(0.8) }),
  )
}
