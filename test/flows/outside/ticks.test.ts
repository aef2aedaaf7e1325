// Ticks of schedules: the moments that a pattern means, over the gaps and the doubled hours of clocks.
import { Cron } from 'croner'
import { describe, expect, it } from 'vitest'
import { readTicks } from '../../../src/flows/outside/ticks.ts'

const ticks = (cron: string, timeZone = 'Europe/Berlin') => readTicks(Cron, { cron, timeZone })
const at = (text: string) => Date.parse(text)
const shown = (tick: number | undefined) =>
  tick === undefined ? undefined : new Date(tick).toISOString().replace(':00.000Z', 'Z')

/** The ticks after a moment, each after the one before. */
function following(cron: string, after: string, count: number, timeZone?: string) {
  const found: (string | undefined)[] = []
  for (let one: number | undefined = at(after); found.length < count && one !== undefined; ) {
    one = ticks(cron, timeZone).next(one)
    found.push(shown(one))
  }
  return found
}

describe('the next tick', () => {
  it('lies strictly after a moment', () => {
    const { next } = ticks('0 6 * * *', 'UTC')
    expect(shown(next(at('2026-11-27T06:00:00Z')))).toBe('2026-11-28T06:00Z')
    expect(shown(next(at('2026-11-27T05:59:59.999Z')))).toBe('2026-11-27T06:00Z')
    expect(shown(next(at('2026-11-27T06:00:00.001Z')))).toBe('2026-11-28T06:00Z')
  })

  it('follows the clock of its time zone', () => {
    expect(following('0 6 * * *', '2026-10-24T00:00Z', 3)).toEqual([
      '2026-10-24T04:00Z',
      '2026-10-25T05:00Z',
      '2026-10-26T05:00Z',
    ])
    expect(following('0 0 * * *', '2026-01-01T12:00Z', 1, 'Asia/Kathmandu')).toEqual(['2026-01-01T18:15Z'])
  })

  it('comes at the end of a gap that its time falls into, once', () => {
    expect(following('30 2 * * *', '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ])
    expect(following('0,30 2 * * *', '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:00Z',
    ])
    expect(following('0 2,3 * * *', '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:00Z',
    ])
    expect(following('30 2 * * *', '2026-03-07T12:00Z', 2, 'America/New_York')).toEqual([
      '2026-03-08T07:00Z',
      '2026-03-09T06:30Z',
    ])
    // The clock skipped midnight itself.
    expect(following('0 0 * * *', '2018-11-03T12:00Z', 2, 'America/Sao_Paulo')).toEqual([
      '2018-11-04T03:00Z',
      '2018-11-05T02:00Z',
    ])
    // Half an hour is skipped.
    expect(following('15 2 * * *', '2026-10-03T12:00Z', 2, 'Australia/Lord_Howe')).toEqual([
      '2026-10-03T15:30Z',
      '2026-10-04T15:15Z',
    ])
  })

  it('comes once of a time that the clock shows twice', () => {
    expect(following('30 2 * * *', '2026-10-24T12:00Z', 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ])
    expect(following('0,30 2 * * *', '2026-10-24T12:00Z', 3)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T00:30Z',
      '2026-10-26T01:00Z',
    ])
    // Asked within the second of the two hours.
    expect(shown(ticks('30 2 * * *').next(at('2026-10-25T01:10Z')))).toBe('2026-10-26T01:30Z')
    expect(following('45 1 * * *', '2026-04-04T00:00Z', 2, 'Australia/Lord_Howe')).toEqual([
      '2026-04-04T14:45Z',
      '2026-04-05T15:15Z',
    ])
  })

  it('follows the hours that pass where a part is "*" or has a step', () => {
    expect(following('0 * * * *', '2026-10-24T23:30Z', 3)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T01:00Z',
      '2026-10-25T02:00Z',
    ])
    expect(following('*/30 * * * *', '2026-03-29T00:15Z', 3)).toEqual([
      '2026-03-29T00:30Z',
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
    ])
  })

  it('comes years later, or never', () => {
    expect(following('0 0 29 2 *', '2026-01-01T00:00Z', 2, 'UTC')).toEqual([
      '2028-02-29T00:00Z',
      '2032-02-29T00:00Z',
    ])
    expect(ticks('0 0 30 2 *').next(at('2026-01-01T00:00Z'))).toBeUndefined()
  })
})

describe('the last tick', () => {
  const last = (cron: string, after: string, until: string, timeZone?: string) =>
    shown(ticks(cron, timeZone).last(at(after), at(until)))

  it('lies after one moment and up to another', () => {
    expect(last('0 6 * * *', '2026-11-27T05:00Z', '2026-11-27T12:00Z', 'UTC')).toBe('2026-11-27T06:00Z')
    expect(last('0 6 * * *', '2026-11-27T05:00Z', '2026-11-27T06:00Z', 'UTC')).toBe('2026-11-27T06:00Z')
    expect(last('0 6 * * *', '2026-11-27T06:00Z', '2026-11-27T12:00Z', 'UTC')).toBeUndefined()
    expect(last('0 6 * * *', '2026-11-27T05:00Z', '2026-11-27T05:59:59.999Z', 'UTC')).toBeUndefined()
    expect(last('* * * * *', '2026-11-27T05:00Z', '2026-11-27T05:07:31Z', 'UTC')).toBe('2026-11-27T05:07Z')
  })

  it('is looked for in 24 hours', () => {
    expect(last('0 6 * * *', '2026-01-01T00:00Z', '2026-11-27T05:00Z', 'UTC')).toBe('2026-11-26T06:00Z')
    expect(last('0 6 1 * *', '2026-01-01T00:00Z', '2026-11-27T05:00Z', 'UTC')).toBeUndefined()
    expect(last('0 6 26 * *', '2026-01-01T00:00Z', '2026-11-27T06:00Z', 'UTC')).toBeUndefined()
    expect(last('0 0 30 2 *', '2026-01-01T00:00Z', '2026-11-27T06:00Z', 'UTC')).toBeUndefined()
  })

  it('agrees with the next one over gaps and doubled hours', () => {
    for (const [cron, begin] of [
      ['30 2 * * *', '2026-03-27T00:00Z'],
      ['30 2 * * *', '2026-10-23T00:00Z'],
      ['*/15 2 * * *', '2026-10-24T00:00Z'],
      ['0 * * * *', '2026-03-28T12:00Z'],
    ] as const) {
      const { next, last: lastOf } = ticks(cron)
      let tick = next(at(begin))
      for (let count = 0; count < 10 && tick !== undefined; count++) {
        const following = next(tick)
        expect(shown(lastOf(tick - 1, tick))).toBe(shown(tick))
        if (following !== undefined && following - tick <= 86_400_000)
          expect(shown(lastOf(tick, following - 1))).toBeUndefined()
        tick = following
      }
    }
  })
})
