// Queries are read once for all who ask the same, so nobody may change what others get.
import { describe, expect, it } from 'vitest'
import { readQuery } from '../../src/http/item-body.ts'
import { parseQuery } from '../../src/index.ts'
import { defaultLimits } from '../../src/query/limits.ts'

const search = '?fields=title,author.name&filter[author][name][_in]=Ada,Grace&deep[comments][_limit]=3'

describe('a query that was read before', () => {
  it('is what reading it anew gives', () => {
    expect(readQuery(search, defaultLimits)).toEqual(parseQuery(search))
  })

  it('is found again, as long as it is asked for', () => {
    const first = readQuery(search, defaultLimits)
    for (let other = 0; other < 2_000; other++) {
      readQuery(`?limit=${other}`, defaultLimits)
      expect(readQuery(search, defaultLimits)).toBe(first)
    }
  })

  it('is forgotten when many others were asked since', () => {
    const first = readQuery(search, defaultLimits)
    for (let other = 0; other < 2_000; other++) readQuery(`?limit=${other}`, defaultLimits)
    expect(readQuery(search, defaultLimits)).not.toBe(first)
  })

  it('cannot be changed, however deep', () => {
    const { deep, filter, fields } = readQuery(search, defaultLimits)
    const parts = [fields, deep, filter, Object(deep).comments, Object(filter).author.name._in]
    expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true))
  })

  it('is read by the limits of the engine that asks', () => {
    expect(() => readQuery(search, { ...defaultLimits, pairs: 2 })).toThrow('more than 2 parameters')
    expect(readQuery(search, defaultLimits)).toEqual(parseQuery(search))
  })

  it('is not kept when it is long', () => {
    const long = `${search}&filter[title]=${'x'.repeat(5_000)}`
    expect(readQuery(long, defaultLimits)).not.toBe(readQuery(long, defaultLimits))
  })

  it('is wrong each time in the same words', () => {
    const wrong = () => readQuery('?fields[]=&limit=-7', defaultLimits)
    const [first, second] = [wrong, wrong].map((ask) => {
      try {
        return ask()
      } catch (error) {
        return error
      }
    })
    expect(first).toBeInstanceOf(Error)
    expect(second).toEqual(first)
  })
})
