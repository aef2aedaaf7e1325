import { expect, it } from 'vitest'
import { Problems } from '../../../src/errors/problems.ts'
import { defineSchema } from '../../../src/index.ts'
import { readPayload } from '../../../src/plan/write/payload.ts'
import type { Collection } from '../../../src/schema/model.ts'

const { collections } = defineSchema({
  days: { fields: { day: { type: 'date', key: true } } },
  prices: { fields: { amount: { type: 'decimal', key: true, scale: 2 } } },
  links: {
    fields: {
      id: { type: 'integer', key: true },
      kind: { type: 'string' },
      item: { type: 'any', to: ['days', 'prices'], by: 'kind' },
      day: { type: 'm2o', to: 'days', nullable: true },
      visits: { type: 'o2m', from: 'visits.link' },
    },
  },
  visits: { key: false, fields: { link: { type: 'm2o', to: 'links' } } },
})
const collection = collections.get('links') as Collection // it was just described

it.each([
  ['days', new Date('2026-05-01T00:00:00Z'), '2026-05-01'],
  ['prices', 1.5, '1.50'],
])('a reference to %s holds the key as answers show it, and not as it is compared', (kind, item, text) => {
  const problems = new Problems('INVALID_PAYLOAD')
  const { values } = readPayload({ kind, item }, { collection, path: [], problems, isKeyed: false })
  expect([...values].map(([{ name }, value]) => [name, value])).toEqual([
    ['kind', kind],
    ['item', text],
  ])
})

it('a reference to what is not there for a caller is a value like any other', () => {
  const problems = new Problems('INVALID_PAYLOAD')
  const place = { collection, path: [], problems, isKeyed: false, reaches: () => false }
  const { values, targets, refused } = readPayload(
    { kind: 'days', item: '2026-05-01', day: { day: 1 } },
    place,
  )
  expect([...values].map(([{ name }, value]) => [name, value])).toEqual([
    ['kind', 'days'],
    ['item', '2026-05-01'],
  ])
  expect(targets).toEqual([])
  expect([...refused].map(({ name }) => name)).toEqual(['day'])
  expect(problems.all.map(({ message }) => message)).toEqual([
    '"day" takes a date such as 2024-02-29, not an object.',
  ])
})

it('children without a key cannot be written, nor taken away', () => {
  for (const visits of [[{}], [], { create: [{}] }]) {
    const problems = new Problems('INVALID_PAYLOAD')
    const place = { collection, path: ['data'], problems, isKeyed: false }
    expect(readPayload({ visits }, place).children).toEqual([])
    expect(problems.all.map(({ code, path, message }) => [code, path, message])).toEqual([
      ['INVALID_PAYLOAD', ['data', 'visits'], '"visits" cannot be written: "visits" has no key.'],
    ])
  }
})
