// Templates find what a value has of its own, and nothing else, however they and the values are made.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createFlows, defineFlow, type FlowRunResult, type Flows } from '../../../src/flows.ts'
import { createEngine, defineSchema, type Engine, isEngineError } from '../../../src/index.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { openSqlite } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'

let engine: Engine
let flows: Flows | undefined
const shape = shapeOfPrototypes()

beforeAll(async () => {
  const opened = await openSqlite()
  const schema = defineSchema({ notes: { fields: { id: { type: 'integer', key: true } } } })
  engine = createEngine({ db: opened.db, schema }) as unknown as Engine
})
afterEach(async () => {
  await flows?.stop()
  expect(shapeOfPrototypes()).toEqual(shape)
})

/** All that objects, lists, texts and functions have from their prototypes. */
function shapeOfPrototypes() {
  return [Object, Array, String, Function].map(({ prototype }) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype)).map(([name, { value }]) => [name, value]),
  )
}

/** Runs one operation that answers a value with templates. Inside of an object no text is read as JSON. */
async function run(json: unknown, payload: unknown): Promise<FlowRunResult> {
  await flows?.stop()
  const answered = defineFlow({
    name: 'answer',
    trigger: { on: 'flow', returns: 'made.it' },
    first: 'made',
    operations: { made: { type: 'transform', options: { json: { it: json } } } },
  })
  flows = createFlows(engine, { flows: [answered], secrets: { KEY: 'a-secret-text' } })
  return flows.run('answer', payload, { inline: true })
}

const resultOf = async (json: unknown, payload: unknown): Promise<unknown> => {
  const answer = await run(json, payload)
  return answer.state === 'succeeded' ? answer.result : answer.error.code
}

const inherited = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'toJSON'],
  ...['__defineGetter__', '__lookupGetter__', 'at', 'map', 'caller', 'arguments', 'name', 'poison'],
]

describe('what comes from a prototype is nothing', () => {
  const values = { list: [1, [2]], text: 'tea', number: 1, truth: true, object: {}, nothing: null }

  it.each(inherited)('%s', async (name) => {
    const poison = { value: 'poisoned', configurable: true }
    Object.defineProperty(Object.prototype, 'poison', poison)
    try {
      for (const holder of ['', '.list', '.list[1]', '.text', '.number', '.truth', '.object', '.nothing'])
        for (const place of [`${holder}.${name}`, `${holder}["${name}"]`, `${holder}.${name}.${name}`]) {
          expect(await resultOf(`{{ $trigger${place} }}`, values), place).toBeNull()
          expect(await resultOf(`{{ $trigger${place} ?? "none" }}`, values), place).toBe('none')
          expect(await resultOf(`text {{ $trigger${place} }}`, values), place).toBe('INVALID_PAYLOAD')
        }
    } finally {
      Reflect.deleteProperty(Object.prototype, 'poison')
    }
  })

  it('what a value has of its own under such a name is its own', async () => {
    const own = JSON.parse('{"constructor":1,"toString":{"a":2},"hasOwnProperty":null,"valueOf":[3]}')
    expect(await resultOf('{{ $trigger.constructor }}', own)).toBe(1)
    expect(await resultOf('{{ $trigger.toString.a }}', own)).toBe(2)
    expect(await resultOf('{{ $trigger.hasOwnProperty ?? 4 }}', own)).toBe(4)
    expect(await resultOf('{{ $trigger.valueOf[0] }}', own)).toBe(3)
  })

  it('an own "__proto__" changes the prototype of nothing', async () => {
    const payload = JSON.parse('{"a":{"__proto__":{"admin":true}},"__proto__":{"admin":true}}')
    expect(await resultOf('{{ $trigger.admin }}', payload)).toBeNull()
    expect(await resultOf('{{ $trigger.a.admin }}', payload)).toBeNull()
    const whole = await resultOf('{{ $trigger }}', payload)
    expect(Object.getPrototypeOf(whole)).toBe(Object.prototype)
    expect(Reflect.get(Object(whole), 'admin')).toBeUndefined()
    const written = JSON.parse('{"x":{"__proto__":{"admin":"{{ $trigger.a }}"}}}')
    const made = await resultOf(written, payload)
    expect(Reflect.get(Object(Reflect.get(Object(made), 'x')), 'admin')).toBeUndefined()
  })
})

const runs = drawsOf('places in templates')

it(`${runs} random places from seed ${fuzzSeed} bring what a look-up of own properties finds`, async () => {
  let found = 0
  for (let at = 0; at < runs; at++) {
    const random = new Random(fuzzSeed + at)
    const payload = JSON.parse(JSON.stringify(randomHolder(random, 0)))
    const steps = random.many(0, 4, () => random.one(stepNames))
    const place = `$trigger${steps.map((step) => writtenStep(random, step)).join('')}`
    const naive = steps.reduce<unknown>(
      (value, step) =>
        typeof value === 'object' && value !== null
          ? Object.getOwnPropertyDescriptor(value, step)?.value
          : undefined,
      payload,
    )
    const told = `seed ${fuzzSeed + at}: {{ ${place} }} of ${JSON.stringify(payload)}`
    // The length of a text is its own, and the page promises nothing about it.
    if (typeof naive === 'undefined' && steps.at(-1) === 'length') continue
    if (naive !== undefined) found++
    expect(await resultOf(`{{ ${place} }}`, payload), told).toEqual(naive ?? null)
    const inText = typeof naive === 'string' ? naive : JSON.stringify(naive)
    expect(await resultOf(`<{{${place}}}>`, payload), told).toBe(
      inText === undefined ? 'INVALID_PAYLOAD' : `<${inText}>`,
    )
  }
  expect(found).toBeGreaterThan(runs / 20)
})

const stepNames = ['a', 'b', '0', '1', 'k.x', '}}', '{{', 'q"q', "q'q", 'length', 'ä', ' ', ...inherited]
const isPlain = /^[A-Za-z][A-Za-z0-9_]*$/

function writtenStep(random: Random, step: string): string {
  const quoted = step.includes('"') ? `['${step}']` : `["${step}"]`
  if (isPlain.test(step)) return random.chance(0.7) ? `.${step}` : quoted
  return /^\d$/.test(step) && random.chance(0.7) ? random.one([`.${step}`, `[${step}]`]) : quoted
}

function randomHolder(random: Random, depth: number): unknown {
  const value = () => (depth < 3 && random.chance(0.7) ? randomHolder(random, depth + 1) : random.one(leaves))
  if (random.chance(0.3)) return random.many(0, 3, value)
  const holder: Record<string, unknown> = {}
  for (const name of random.many(2, 8, () => random.one(stepNames)))
    Object.defineProperty(holder, name, { value: value(), enumerable: true, configurable: true })
  return holder
}

const leaves = ['tea', '', 1, 0, true, false, null, '{{ $trigger }}', '{{ $env.KEY }}', '}}']

it(`${runs} random texts from seed ${fuzzSeed} are read, or refused in words`, async () => {
  const payload = { a: 'tea', b: [1, { c: null }], 'k.x': '{{ $env.KEY }}' }
  const counts = { refused: 0, failed: 0, succeeded: 0 }
  for (let at = 0; at < runs; at++) {
    const random = new Random(fuzzSeed + at)
    const part = () => random.one(pieces)
    const text = random.chance(0.5)
      ? random.many(1, 12, part).join('')
      : `{{ $trigger${random.many(0, 3, part).join('')} }}${random.many(0, 2, part).join('')}`
    try {
      const answer = await run(text, payload)
      counts[answer.state]++
      const told = `seed ${fuzzSeed + at}: ${text}`
      expect(JSON.stringify(answer), told).not.toContain('a-secret-text')
      if (answer.state === 'succeeded')
        expect(JSON.stringify(answer.result), told).not.toContain('native code')
      else expect(answer.error.code, told).toBe('INVALID_PAYLOAD')
    } catch (error) {
      if (!isEngineError(error)) throw new Error(`seed ${fuzzSeed + at}: ${text}`, { cause: error })
      expect(error.code).toBe('INVALID_OPTIONS')
      counts.refused++
    }
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0)
})

const pieces = [
  ...[
    '{{',
    '{{ ',
    '}}',
    ' }}',
    '{',
    '}',
    '$trigger',
    '$last',
    '$env',
    '$env.KEY',
    'made',
    '.',
    '..',
    '.a',
    '.b',
  ],
  ...[
    '[0]',
    '[1]',
    '[-1]',
    '["k.x"]',
    '["',
    '"]',
    '[',
    ']',
    '"',
    "'",
    '\\',
    ' ?? ',
    '??',
    '"x"',
    "'}}'",
    '"{{"',
  ],
  ...[
    ' ',
    '\n',
    '\u0000',
    '\ud800',
    '__proto__',
    '.__proto__',
    '.constructor',
    'null',
    '1',
    'é',
    '$',
    '{{{{',
  ],
]

describe('what a template brings is not rendered again', () => {
  it.each(['{{ $env.KEY }}', '{{ $trigger.b }}', '{{', '}}', '{{ $trigger.a }}'])('%s', async (text) => {
    expect(await resultOf('{{ $trigger.a }}', { a: text, b: 'tea' })).toBe(text)
    expect(await resultOf('<{{ $trigger.a }}>', { a: text, b: 'tea' })).toBe(`<${text}>`)
    expect(await resultOf('{{ $trigger.a }}{{ $trigger.b }}', { a: '{{ $trigger.', b: 'b }}' })).toBe(
      '{{ $trigger.b }}',
    )
  })

  it('a fallback in quotes may hold braces', async () => {
    expect(await resultOf('{{ $trigger.a ?? "}}" }}', {})).toBe('}}')
    expect(await resultOf('<{{ $trigger.a ?? "{{ $trigger.b }}" }}>', { b: 1 })).toBe('<{{ $trigger.b }}>')
    expect(await resultOf('{{ $trigger["}}"] }}', { '}}': 1 })).toBe(1)
    expect(await resultOf('{{ $trigger["a ?? b"] ?? 2 }}', { 'a ?? b': 1 })).toBe(1)
    expect(await resultOf('{{ $trigger["a?"] ?? "?? 3" }}', {})).toBe('?? 3')
  })
})

describe('payloads that are no JSON', () => {
  const cycle: Record<string, unknown> = { a: 1 }
  cycle.self = [cycle]
  const trap = () => {
    throw new Error('trap')
  }
  class Thing {
    a = 1
  }
  const refused = {
    'a cycle': cycle,
    'a getter that throws': {
      get a() {
        return trap()
      },
    },
    'a proxy that throws': new Proxy({}, { ownKeys: trap, get: trap, getOwnPropertyDescriptor: trap }),
    'a proxy that was revoked': revoked(),
    'a million levels': nested(1_000_000),
    'a text beyond 4 MiB': 'x'.repeat(4 * 1_048_576 + 1),
  }
  it.each(Object.entries(refused))('%s is refused', async (_title, x) => {
    const answer = run('{{ $trigger.x }}', { x })
    await expect(answer).rejects.toSatisfy(isEngineError)
    await expect(answer).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' })
  })

  it('what code computes is asked once, before anything runs', async () => {
    let asked = 0
    const payload = {
      get a() {
        asked += 1
        return asked
      },
    }
    expect(await resultOf(['{{ $trigger.a }}', '{{ $trigger.a }}', '{{ $trigger }}'], payload)).toEqual([
      1,
      1,
      { a: 1 },
    ])
  })

  it('what is no value is none', async () => {
    const payload = { f: () => 1, s: Symbol('s'), n: Number.NaN, u: undefined, t: new Thing(), l: [() => 1] }
    for (const name of 'fsnut') expect(await resultOf(`{{ $trigger.${name} }}`, payload), name).toBeNull()
    expect(await resultOf('{{ $trigger.t.a }}', payload)).toBeNull()
    expect(await resultOf('{{ $trigger.l }}', payload)).toEqual([null])
  })

  it('a payload may be anything', async () => {
    for (const payload of [null, 0, '', 'tea', [], [[]], true]) {
      expect(await resultOf('{{ $trigger }}', payload)).toEqual(payload)
      expect(await resultOf('{{ $trigger.length.x }}', payload)).toBeNull()
    }
  })

  it('what a flow answers is a copy', async () => {
    const payload = { a: { b: [1] } }
    const answer = await resultOf('{{ $trigger.a }}', payload)
    payload.a.b.push(2)
    expect(answer).toEqual({ b: [1] })
  })
})

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

// What takes more than linear time takes minutes here.
describe('long texts', { timeout: 60_000 }, () => {
  const million = 1_048_576
  const texts = {
    'open braces': '{{'.repeat(million / 2),
    'closed braces': '}}'.repeat(million / 2),
    'one that never ends': `{{ ${' '.repeat(million)}`,
    'blanks around a place': `{{${' '.repeat(million / 2)}$trigger${' '.repeat(million / 2)}}}`,
    'blanks before "??"': `{{ $trigger${' '.repeat(million)}?? 1 }}`,
    'blanks inside of a place': `{{ $trigger${' '.repeat(million)}x }}`,
    'blanks between marks': `{{ $trigger ${' ?'.repeat(million / 2)} }}`,
    'question marks': `{{ $trigger ${'?'.repeat(million)} }}`,
    quotes: `{{ $trigger[${'"'.repeat(million)}] }}`,
    'a quote that never ends': `{{ $trigger["${'x'.repeat(million)}] }}`,
    'escaped quotes': `{{ $trigger["${'\\"'.repeat(million / 2)}"] }}`,
    steps: `{{ $trigger${'.a'.repeat(million / 2)} }}`,
    'steps in brackets': `{{ $trigger${'[0]'.repeat(million / 4)} }}`,
    'open brackets': `{{ $trigger${'['.repeat(million)} }}`,
    'begun templates': '{{ $trigger '.repeat(million / 16),
    'begun templates with quotes': '{{ $trigger["'.repeat(million / 16),
    'no template at all': 'x'.repeat(million),
  }
  it.each(Object.entries(texts))('%s', async (_title, text) => {
    const settled = await run(text, { a: 1 }).catch((error: unknown) => error)
    if (settled instanceof Error) expect(settled).toSatisfy(isEngineError)
    else expect(['succeeded', 'failed']).toContain(Object(settled).state)
  })

  it('thousands of places in one text', async () => {
    const many = 1_000
    expect(await resultOf('{{ $trigger.a }},'.repeat(many), { a: 12 })).toBe('12,'.repeat(many))
    await expect(run('{{ $trigger.a }}'.repeat(many + 1), {})).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'The template cannot be read: it has more than 1,000 places.',
    })
  })

  it('a text of 1 MiB is brought once, and refused where it would be more than an answer may be', async () => {
    const a = 'x'.repeat(million - 100)
    expect(await resultOf('{{ $trigger.a }}', { a })).toBe(a)
    expect(await resultOf('{{ $trigger.a }}!', { a })).toBe(`${a}!`)
    expect(await resultOf('{{ $trigger.a }}{{ $trigger.a }}', { a })).toBe('INVALID_PAYLOAD')
    expect(await resultOf('{{ $trigger.a }}'.repeat(1_000), { a })).toBe('INVALID_PAYLOAD')
    expect(await resultOf(Array(20_000).fill('{{ $trigger.a }}'), { a })).toBe('INVALID_PAYLOAD')
    expect(await resultOf(Array(2_000).fill('<{{ $trigger.a }}>'), { a })).toBe('INVALID_PAYLOAD')
  })
})
