import { expect, it } from 'vitest'
import { defineSchema } from '../../../src/index.ts'
import { fieldSubject } from '../../../src/plan/field-path.ts'
import { withoutOrder } from '../../../src/plan/filter/function-call.ts'
import { type Collection, isToMany } from '../../../src/schema/model.ts'
import { one, string } from '../../support/fields.ts'

const address = { type: 'other', databaseType: 'inet' } as const
const { collections } = defineSchema({
  hosts: { fields: { id: { ...address, key: true }, gateway: address, name: string } },
  visits: {
    key: ['host', 'from'],
    fields: { host: one('hosts'), from: address, place: { type: 'opaque', databaseType: 'point' } },
  },
})

function reason(collection: string, name: string): string | undefined {
  const { fields } = collections.get(collection) as Collection // it was just described
  const field = fields.get(name)
  if (!field || isToMany(field)) throw new Error('a field that was described')
  return withoutOrder(fieldSubject(field))
}

it.each([
  ['hosts', 'id'],
  ['hosts', 'name'],
  ['visits', 'host'],
  ['visits', 'from'],
])('%s can be sorted by %s: the database keeps keys in an order, whatever their type', (collection, name) => {
  expect(reason(collection, name)).toBeUndefined()
})

it.each([
  ['hosts', 'gateway', 'is of type other'],
  ['visits', 'place', 'is of type opaque'],
])('%s cannot be sorted by %s, whose type only the database knows', (collection, name, words) => {
  expect(reason(collection, name)).toBe(words)
})
