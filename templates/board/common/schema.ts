import { defineSchema } from 'quernel'

const id = { type: 'integer', key: true } as const
const team = { type: 'integer' } as const
const text = { type: 'string' } as const
const state = { type: 'string', values: ['todo', 'doing', 'done'], default: 'todo' } as const
const place = { type: 'float' } as const
const author = { type: 'm2o', to: 'people' } as const

export const schema = defineSchema({
  people: { fields: { id, name: text, team } },
  cards: { fields: { id, title: { ...text, length: 200 }, state, place, author, team } },
  messages: { fields: { id, text, card: { type: 'm2o', to: 'cards' } } },
})
export type Api = typeof schema
