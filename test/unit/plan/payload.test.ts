import { expect, it } from 'vitest'
import { defineSchema } from '../../../src/index.ts'
import { readPayload } from '../../../src/plan/payload.ts'
import { Problems } from '../../../src/problems.ts'
import type { Collection } from '../../../src/schema/model.ts'

const { collections } = defineSchema({
  days: { fields: { day: { type: 'date', key: true } } },
  prices: { fields: { amount: { type: 'decimal', key: true, scale: 2 } } },
  links: {
    fields: {
      id: { type: 'integer', key: true },
      kind: { type: 'string' },
      item: { type: 'any', to: ['days', 'prices'], by: 'kind' },
    },
  },
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
