import { defineSchema } from 'quernel'

export const schema = defineSchema({
  people: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string' },
      team: { type: 'integer' },
    },
  },
  cards: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string', length: 200 },
      state: { type: 'string', values: ['todo', 'doing', 'done'], default: 'todo' },
      place: { type: 'float' },
      author: { type: 'm2o', to: 'people' },
      team: { type: 'integer' },
    },
  },
  messages: {
    fields: {
      id: { type: 'integer', key: true },
      text: { type: 'string' },
      team: { type: 'integer' },
    },
  },
})

export type Api = typeof schema
