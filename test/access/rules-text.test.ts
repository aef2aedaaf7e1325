import { describe, expect, it } from 'vitest'
import { textOfRules } from '../../src/access/rules-text.ts'

describe('the text of rules', () => {
  it('is that of equal rules', () => {
    const rules = () => ({ a: { read: { filter: { x: [1, 'y', null, true, { z: -1.5 }] } } } })
    expect(textOfRules(rules())).toBe(textOfRules(rules()))
    expect(textOfRules(Object.assign(Object.create(null), rules()))).toBe(textOfRules(rules()))
    expect(textOfRules({ a: '\ud800' })).not.toBe(textOfRules({ a: '\ud801' }))
  })

  class Author {
    id = 1
  }
  const endless: Record<string, unknown> = {}
  endless.again = endless
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a date', new Date(0)],
    ['a great integer', 5n],
    ['no number', Number.NaN],
    ['an endless number', Number.POSITIVE_INFINITY],
    ['zero below zero', -0],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a class', new Author()],
    ['a map', new Map()],
    ['bytes', new Uint8Array(1)],
    ['a hole', Array(1)],
    ['what JSON asks', { toJSON: () => 1 }],
    [
      'what is computed',
      {
        get id() {
          return 1
        },
      },
    ],
    ['itself', endless],
  ])('is none where rules hold %s', (_title, value) => {
    expect(textOfRules({ articles: { read: { filter: { id: value } } } })).toBeUndefined()
    expect(textOfRules({ articles: { read: { filter: { id: { _in: [value] } } } } })).toBeUndefined()
  })
})
