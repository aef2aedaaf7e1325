// Clocks that jump, in both directions and while somebody waits: rules that look at the time, and accesses that end.
import { describe, expect, it, vi } from 'vitest'
import { type Access, createItem, listItems, updateItem } from '../../../src/index.ts'
import { watchItems } from '../../../src/realtime.ts'
import type { Replica } from '../replica.ts'
import { admin, next, openTasks, pause, reading, type schema, until } from '../tasks.ts'

const start = Date.parse('2030-06-01T00:00:00Z')
const hour = 3_600_000
const at = (moment: number) => new Date(moment).toISOString()

/** A clock that stands still until it is set. */
function openClock() {
  const clock = { now: start }
  return { clock, options: { clock: () => new Date(clock.now) } }
}

const ids = ({ data }: Replica): string =>
  data
    .map((item) => Number(Reflect.get(Object(item), 'id')))
    .toSorted((one, other) => one - other)
    .join()

const memberships = ['page', 'match'] as const
const now = (filter: object) => ({ rules: { tasks: { read: { filter } } } }) as Access<typeof schema>

/** Rules and filters that look at the time, each with what it shows at the start, an hour later and an hour before. */
const timed: readonly (readonly [filter: object, now: string, later: string, before: string])[] = [
  [{ due: { _lte: '$NOW' } }, '2', '1,2', ''],
  [{ due: { _gt: '$NOW' } }, '1', '', '1,2'],
  [{ due: { _lt: '$NOW(-30 minutes)' } }, '', '2', ''],
  [{ due: { _between: ['$NOW(-20 minutes)', '$NOW(+20 minutes)'] } }, '2', '', ''],
  [{ owner: { tasks: { due: { _lte: '$NOW' } } } }, '1,2', '1,2', ''],
]

const moments = [
  [start, 0],
  [start + hour, 1],
  [start, 0],
  [start - hour, 2],
  [start + hour, 1],
] as const

describe.each(memberships)('membership %s', (membership) => {
  it('what looks at the time comes and goes with a clock that jumps', async () => {
    const { clock, options } = openClock()
    const { engine, feed } = await openTasks({}, options)
    await updateItem(engine, 'tasks', 1, { due: at(start + hour / 2) })
    await updateItem(engine, 'tasks', 2, { due: at(start) })
    const query = { fields: ['id'] } as const
    const readers = timed.map(([filter, ...shown]) => ({
      filter,
      shown,
      byRule: reading(watchItems(feed.as(now(filter)), 'tasks', query, { membership })),
      byFilter: reading(watchItems(feed.as(admin), 'tasks', { ...query, filter } as object, { membership })),
    }))
    for (const [moment, place] of moments) {
      clock.now = moment
      for (const { filter, shown, byRule, byFilter } of readers) {
        const { data } = await listItems(engine.as(now(filter)), 'tasks', query)
        expect(data.map(({ id }) => id).join()).toBe(shown[place])
        for (const { replica } of [byRule, byFilter])
          await until(() => replica.isKnown && ids(replica) === shown[place])
      }
    }
    for (const { byRule, byFilter } of readers)
      expect([byRule.has('reset'), byFilter.has('reset')]).toEqual([false, false])
  })

  it('a write right after a jump is judged by the clock of its moment', async () => {
    const { clock, options } = openClock()
    // Nobody looks at the clock each second, which would show the row in the end.
    const ticks = vi.spyOn(globalThis, 'setInterval').mockImplementation(() => setTimeout(() => undefined, 0))
    const { engine, feed } = await openTasks({}, options)
    expect(ticks).toHaveBeenCalled()
    ticks.mockRestore()
    const filter = { due: { _lte: '$NOW' } }
    const { replica } = reading(watchItems(feed.as(now(filter)), 'tasks', { fields: ['id'] }, { membership }))
    await until(() => replica.isKnown)
    for (const [id, step] of [
      [1, 900],
      [2, -900],
      [3, 900],
    ] as const) {
      // Not far enough to be taken for a jump.
      clock.now += step
      await updateItem(engine, 'tasks', id, { due: at(clock.now) })
      await until(() => ids(replica).split(',').includes(`${id}`))
    }
  })
})

describe('an access that ends', () => {
  it('ends when the clock jumps over its end, though somebody waits', async () => {
    const { clock, options } = openClock()
    const { engine, feed } = await openTasks({}, options)
    let asked = 0
    const fixed = reading(watchItems(feed.as({ ...admin, expiresAt: start + hour }), 'tasks'))
    const renewed = reading(
      watchItems(
        feed.as(() => {
          asked += 1
          return { ...admin, expiresAt: clock.now + hour }
        }),
        'tasks',
      ),
    )
    const lost = reading(
      watchItems(
        feed.as(() => ({ ...admin, expiresAt: start + hour })),
        'tasks',
      ),
    )
    await until(() => [fixed, renewed, lost].every(({ replica }) => replica.isKnown))
    expect(asked).toBe(1)
    clock.now += 2 * hour
    await until(() => fixed.code !== undefined && lost.code !== undefined)
    expect([fixed.code, lost.code]).toEqual(['TOKEN_EXPIRED', 'TOKEN_EXPIRED'])
    await until(() => asked === 2)
    expect(renewed.code).toBeUndefined()
    await createItem(engine, 'tasks', { title: 'after' })
    await until(() => renewed.has('after'))
    expect([fixed, lost].some(({ has }) => has('after'))).toBe(false)
    expect(feed.status().subscriptions).toBe(1)
  })

  it('does not end before, and not at once, when the clock jumps back', async () => {
    const { clock, options } = openClock()
    const { engine, feed } = await openTasks({}, options)
    const watched = reading(watchItems(feed.as({ ...admin, expiresAt: start + 60 }), 'tasks'))
    await until(() => watched.replica.isKnown)
    clock.now -= hour
    await pause(120)
    await createItem(engine, 'tasks', { title: 'still there' })
    await until(() => watched.has('still there'))
    clock.now = start + 60
    await updateItem(engine, 'tasks', 1, { title: 'never told' })
    await until(() => watched.code !== undefined)
    expect(watched.code).toBe('TOKEN_EXPIRED')
    expect(watched.has('never told')).toBe(false)
  })

  it.each([0, -1, -1e15, Number.MIN_SAFE_INTEGER])(
    'before it begins (%d) tells nothing',
    async (expiresAt) => {
      const { options } = openClock()
      const { feed } = await openTasks({}, options)
      for (const input of [() => ({ ...admin, expiresAt }), async () => ({ ...admin, expiresAt })])
        await expect(next(watchItems(feed.as(input), 'tasks'))).rejects.toMatchObject({
          code: 'TOKEN_EXPIRED',
        })
      expect(feed.status().subscriptions).toBe(0)
    },
  )

  it('far away ends no timer before its time', async () => {
    const { options } = openClock()
    const { engine, feed } = await openTasks({}, options)
    const watched = reading(watchItems(feed.as({ ...admin, expiresAt: 8_640_000_000_000_000 }), 'tasks'))
    await until(() => watched.replica.isKnown)
    await pause(20)
    await createItem(engine, 'tasks', { title: 'told' })
    await until(() => watched.has('told'))
    expect(watched.code).toBeUndefined()
  })
})

describe('a clock of the host that throws', () => {
  it('is told once, ends nothing, and is asked again', async () => {
    let isBroken = false
    const clock = () => {
      if (isBroken) throw new Error('no clock')
      return new Date()
    }
    const { engine, feed, errors } = await openTasks({}, { clock })
    const watched = watchItems(feed.as(admin), 'tasks', { fields: ['title'] })
    await next(watched)
    isBroken = true
    await until(() => errors.length > 0)
    await pause(1_200)
    expect(errors.map(String)).toEqual(['Error: no clock'])
    isBroken = false
    await updateItem(engine, 'tasks', 1, { title: 'still told' })
    expect(JSON.stringify(await next(watched))).toContain('still told')
  })
})
