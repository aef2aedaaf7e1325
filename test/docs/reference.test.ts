import { expect, it } from 'vitest'
import { entries } from '../../docs/print/api.ts'
import { pagesNow } from '../../docs/print/pages.ts'
import { textOf } from '../../docs/print/texts.ts'

it.each(Object.entries(pagesNow()))(
  '%s says what the code says; if not, run "npm run docs"',
  (name, text) => {
    expect(textOf(name)).toBe(text)
  },
)

const named = entries.flatMap(({ name: entry, exports }) => exports.map((one) => ({ ...one, entry })))

it('every export has a sentence', () => {
  const silent = named.filter(({ doc }) => !doc.endsWith('.'))
  expect(silent.map(({ entry, name }) => `${entry} ${name}`)).toEqual([])
})

it('everything that can be called or used has an example', () => {
  const bare = named.filter(({ isType, examples }) => !isType && examples.length === 0)
  expect(bare.map(({ entry, name }) => `${entry} ${name}`)).toEqual([])
})
