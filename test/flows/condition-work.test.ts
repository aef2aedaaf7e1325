// A condition does a bounded work, whatever its texts, lists and patterns are: what is beyond it is OUT_OF_TIME.
import { Cron } from 'croner'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { readCondition, unmetBy } from '../../src/flows/condition.ts'
import { ConditionWork, mostWork } from '../../src/flows/condition-work.ts'
import { defineFlow } from '../../src/flows.ts'
import { createHandler } from '../../src/http.ts'
import { createItem } from '../../src/index.ts'
import { utc } from '../../src/values/zone.ts'
import { databases } from '../support/databases.ts'
import { rowsOf } from '../support/titled.ts'
import { openWorld as openAttacked, wide } from './attacked-world.ts'
import { openWorld, type World } from './runs/world.ts'

const all = (count: number, one: (at: number) => object) => ({
  _and: Array.from({ length: count }, (_, at) => one(at)),
})
const any = (count: number, one: () => object) => ({ _or: Array.from({ length: count }, one) })
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 0.5)
const texts = (count: number) => Array.from({ length: count }, (_, at) => `text ${at}`)
const long = 'é'.repeat(1_000_000)

interface Evaluated {
  readonly outcome: 'met' | 'unmet' | 'late'
  readonly spent: number
}

/** A share of the budget, since all of it takes half a second. */
const most = mostWork / 10

/** Evaluates a condition on a value. `isRendered`: templates have made it, so it is read in each run. */
function evaluate(filter: object, value: unknown, isRendered = false): Evaluated {
  const work = new ConditionWork(most)
  const outcome = () => {
    try {
      const reading = { caller: {}, now: new Date(0), ...(isRendered && { work }) }
      const condition = readCondition({ v: filter }, ['filter'], reading)
      const setting = { zone: utc, negationMatchesNull: false, work }
      return unmetBy(condition, { v: value }, setting) ? 'unmet' : 'met'
    } catch (error) {
      expect(error).toMatchObject({ code: 'OUT_OF_TIME', status: 408 })
      return 'late'
    }
  }
  return { outcome: outcome(), spent: work.spent }
}

describe('the work of a condition', () => {
  it.each<[string, object, unknown, isRendered?: true]>(
    rowsOf({
      'a thousand texts to fold and to find': [all(1_000, (at) => ({ _nicontains: `x${at}` })), long],
      'other texts to fold each time': [
        { _none: all(9, (at) => ({ _icontains: `x${at}` })) },
        Array.from({ length: 9 }, (_, at) => `${long}${at}`),
      ],
      'long parts that repeat themselves': [
        all(9, (at) => ({ _ncontains: `${'é'.repeat(2_000)}x${'é'.repeat(2_000)}${at}` })),
        long,
      ],
      'texts to compare': [all(600, () => ({ _neq: 'a'.repeat(8_000) })), 'a'.repeat(8_001)],
      'a pattern of many ways': [{ _regex: `${'é?'.repeat(400)}x` }, long],
      'operands, for each of a list': [
        { _some: { _in: numbers(1_000) } },
        Array.from({ length: 300_000 }, (_, at) => at + 0.25),
      ],
      'alternatives, for each of a list': [
        { _none: { _or: Array.from({ length: 90 }, (_, at) => ({ _lt: -at })) } },
        numbers(10_000),
      ],
      'junctions inside of one another': [
        { _none: any(9, () => any(9, () => any(9, () => ({ _null: true })))) },
        numbers(2_000),
      ],
      'quantifiers inside of one another': [
        { _some: { _some: { _some: { _gt: 1 } } } },
        Array.from({ length: 500 }, () => Array.from({ length: 500 }, () => [0])),
      ],
      'objects of many members': [
        all(90, () => ({ _nempty: true })),
        Object.fromEntries(texts(50_000).map((name) => [name, 1])),
      ],
      'lists of operands that templates make': [all(2, () => ({ _nin: texts(45_000) })), 'x', true],
      'operators that templates make': [all(20_000, (at) => ({ _neq: at })), 'x', true],
      'patterns that templates make': [
        all(90, (at) => ({ _regex: '[^\\p{L}\\p{N}]'.repeat(70) + at })),
        '.',
        true,
      ],
    }),
  )('ends with OUT_OF_TIME: %s', (_, filter, value, isRendered) => {
    const { outcome, spent } = evaluate(filter, value, isRendered)
    expect(outcome).toBe('late')
    // What is beyond the budget is refused before it is done, and the last step alone is no second budget.
    expect(spent).toBeGreaterThan(most)
    expect(spent).toBeLessThan(most + mostWork)
  })

  it.each<[string, object, unknown, isRendered?: true]>(
    rowsOf({
      'a choice of a status': [{ _in: ['draft', 'published'] }, 'draft'],
      'numbers and dates': [
        { views: { _gt: 3, _lte: 1e6 }, created: { _gte: '2026-01-01T00:00:00Z' } },
        { views: 7.5, created: '2026-05-05T00:00:00Z' },
      ],
      'words in a letter of 20 kB': [
        { _or: texts(20).map((text) => ({ _icontains: text })) },
        `${'A letter of some words. '.repeat(850)} text 19`,
      ],
      'a sentence in a letter of 20 kB': [
        { _contains: 'A sentence of a letter. '.repeat(30) },
        'A sentence of a letter. '.repeat(850),
      ],
      'an address': [{ _regex: '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$' }, 'ada@example.com'],
      'the tags of an article': [
        { _some: { name: { _istarts_with: 'TE' } }, _none: { hidden: { _eq: true } } },
        Array.from({ length: 100 }, () => ({ name: 'tea', hidden: false })),
      ],
      'a list of keys that a template brings': [{ _in: texts(500) }, 'text 499', true],
      'what a template brings': [
        { title: { _neq: 'Tea' }, body: { _contains: 'tea' } },
        { title: 'T', body: 'tea' },
        true,
      ],
    }),
  )('of an ordinary one is a hundredth of the budget at most: %s', (_, filter, value, isRendered) => {
    const { outcome, spent } = evaluate(filter, value, isRendered)
    expect(outcome).toBe('met')
    expect(spent).toBeLessThan(mostWork / 100)
  })

  it('folds a text once for all of its tests, and makes a set of operands once for all values', () => {
    const folding = (count: number) =>
      evaluate(
        all(count, () => ({ _nistarts_with: 'x' })),
        'é'.repeat(1_000),
      ).spent
    expect(folding(2) - folding(1)).toBeLessThan(folding(1) / 10)
    const among = (count: number) =>
      evaluate({ _none: { _in: texts(1_000) } }, texts(1_001 + count).slice(1_000)).spent
    expect(among(2) - among(1)).toBeLessThan(among(1) / 10)
  })

  it('changes no answer', () => {
    const letters = ['a', 'É', 'b', 'éÉ', 'ß', 'A']
    const filters = [
      '_contains',
      '_icontains',
      '_ncontains',
      '_nicontains',
      '_istarts_with',
      '_nistarts_with',
      '_iends_with',
      '_niends_with',
    ]
    const fold = (text: string) => text.toLowerCase()
    for (const operator of filters)
      for (const part of letters)
        for (const whole of letters) {
          const [one, other] =
            operator.includes('i') && !/^_n?(contains)/.test(operator)
              ? [fold(whole), fold(part)]
              : [whole, part]
          const is = operator.includes('starts')
            ? one.startsWith(other)
            : operator.includes('ends')
              ? one.endsWith(other)
              : one.includes(other)
          expect(evaluate({ [operator]: part }, whole).outcome, `${whole} ${operator} ${part}`).toBe(
            is === operator.startsWith('_n') ? 'unmet' : 'met',
          )
        }
    const part = `${'ab'.repeat(300)}c`
    expect(evaluate({ _contains: part }, `${'ab'.repeat(900)}c`).outcome).toBe('met')
    expect(evaluate({ _contains: part }, `${'ab'.repeat(299)}c`).outcome).toBe('unmet')
    expect(evaluate({ _ncontains: part }, 7).outcome).toBe('met')
    const many = [...texts(20), ...numbers(20), 0, 1e300, -7]
    for (const value of [...many, 'text', 0.25, -0, null, true, {}, []]) {
      const isIn = many.includes(value as number)
      expect(evaluate({ _in: many }, value).outcome, `${value}`).toBe(isIn ? 'met' : 'unmet')
      expect(evaluate({ _nin: many }, value).outcome, `${value}`).toBe(
        isIn || value === null ? 'unmet' : 'met',
      )
    }
  })
})

const text = 'a'.repeat(100_000)
const filter = all(700, (at) => ({ _ncontains: `x${at}` }))
const late = { code: 'OUT_OF_TIME', status: 408, message: expect.stringContaining('takes more work') }
const condition = (place: object) => ({ type: 'condition', options: { filter: { $trigger: place } } })

describe.each(databases)('on $name', (database) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(database)
  })

  it('flows of the host fail by it: inline, kept, of webhooks and of schedules, and no run repeats it', async () => {
    let now = Date.UTC(2026, 0, 1)
    const flow = (name: string, trigger: object, operations: object) =>
      defineFlow({ name, trigger, access: 'nobody', first: 'o', operations } as never)
    const flows = await world.start({
      cron: Cron,
      clock: () => now,
      pollMs: 20,
      flows: [
        flow('called', { on: 'flow' }, { o: condition({ text: filter }) }),
        flow('sent', { on: 'webhook', allow: 'public' }, { o: condition({ body: { text: filter } }) }),
        flow(
          'ticking',
          { on: 'schedule', cron: '* * * * *' },
          {
            o: { type: 'transform', options: { json: { text } }, resolve: 'c' },
            c: { type: 'condition', options: { filter: { o: { text: filter } } } },
          },
        ),
      ],
    })
    const inline = await flows.run('called', { text }, { inline: true })
    expect(inline).toMatchObject({ state: 'failed', error: late })
    expect(await flows.run('called', { text })).toMatchObject({ state: 'failed', error: late })
    const handler = createHandler(world.engine, { mounts: [flows], authenticate: () => null })
    const answer = await handler(
      new Request('http://localhost/flows/trigger/sent', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      }),
    )
    expect(answer.status).toBe(408)
    expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'OUT_OF_TIME' } }] })
    now += 60_000
    await expect.poll(async () => (await world.runs()).length, { timeout: 60_000 }).toBe(3)
    await world.settle()
    const runs = await world.runs()
    expect(runs.map(({ flow: name }) => name)).toEqual(['called', 'sent', 'ticking'])
    for (const { state, error, attempt, steps } of runs) {
      expect({ state, error }).toMatchObject({ state: 'failed', error: { code: 'OUT_OF_TIME' } })
      expect([attempt, ...steps.map((step) => step.attempt)].every((count) => count <= 1)).toBe(true)
    }
    await flows.stop()
  })

  it('a row refuses the write that it hears of by it, or handles it, and the next write goes on', async () => {
    const attacked = await openAttacked(database, { rights: wide })
    const trigger = { on: 'items.create', collections: ['articles'] }
    const operation = condition({ payload: { title: filter } })
    await attacked.plant({
      trigger: { ...trigger, when: 'before' },
      first: 'o',
      operations: { o: operation },
    })
    await expect(createItem(attacked.boss, 'articles', { title: text })).rejects.toMatchObject(late)
    await createItem(attacked.boss, 'articles', { title: 'Tea' })
    await attacked.restore()
    const own = { type: 'throw-error', options: { code: 'OWN', message: 'It was {{ $last.code }}.' } }
    await attacked.plant({
      trigger: { ...trigger, when: 'before' },
      first: 'o',
      operations: { o: { ...operation, reject: 'own' }, own },
    })
    await expect(createItem(attacked.boss, 'articles', { title: text })).rejects.toMatchObject({
      code: 'OWN',
      message: 'It was OUT_OF_TIME.',
    })
    await attacked.close()
  })

  it('all conditions of a run of a row have together what one of the host has', async () => {
    const part = condition({ payload: { title: all(80, (at) => ({ _ncontains: `x${at}` })) } })
    const operations = Object.fromEntries(
      Array.from({ length: 6 }, (_, at) => [`o${at}`, { ...part, ...(at < 5 && { resolve: `o${at + 1}` }) }]),
    )
    const flow = { trigger: { on: 'flow' }, first: 'o0', operations, access: 'nobody' }
    const attacked = await openAttacked(database, {
      rights: wide,
      hostsFlows: [defineFlow({ ...flow, name: 'ofHost' } as never)],
      engineOptions: { flows: {} },
      pollMs: 20,
      isStarted: false,
    })
    await attacked.flows.install()
    await attacked.flows.start()
    const payload = { payload: { title: text } }
    expect(await attacked.flows.run('ofHost', payload, { inline: true })).toMatchObject({
      state: 'succeeded',
    })
    const trigger = { on: 'items.create', collections: ['articles'] }
    await attacked.plant({ ...flow, access: null, trigger: { ...trigger, when: 'after' } })
    await createItem(attacked.boss, 'articles', { title: text })
    const states = async () => (await attacked.select('select state, error from quernel_runs')).rows
    await expect.poll(states, { timeout: 20_000 }).toMatchObject([{ state: 'failed' }])
    expect(JSON.stringify(await states())).toContain('OUT_OF_TIME')
    await attacked.restore()
    await attacked.plant({ ...flow, access: null, trigger: { ...trigger, when: 'before' } })
    await expect(createItem(attacked.boss, 'articles', { title: text })).rejects.toMatchObject(late)
    await createItem(attacked.boss, 'articles', { title: 'Tea' })
    await attacked.restore()
    await attacked.plant({
      ...flow,
      access: null,
      trigger: { ...trigger, when: 'before' },
      operations: { o0: condition({ payload: { title: { _icontains: 'x' } } }) },
    })
    let isTurn = false
    setImmediate(() => {
      isTurn = true
    })
    // A quick machine compares so long a text before a turn is due.
    let milliseconds = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      milliseconds += 60
      return milliseconds
    })
    await expect(createItem(attacked.boss, 'articles', { title: long })).rejects.toThrow()
    clock.mockRestore()
    // Another row that hears of it would begin at once.
    expect(isTurn).toBe(true)
    await attacked.close()
  })
})
