import { createFlows, defineFlow } from 'quernel/flows'
import { engine } from './api.ts'

/** Tells the team of a card that is done. */
const done = defineFlow({
  name: 'done',
  trigger: { on: 'items.update', collections: ['cards'], when: 'after' },
  access: 'full', // people may not write messages
  first: 'isDone',
  operations: {
    isDone: {
      type: 'condition',
      options: { filter: { $trigger: { payload: { state: { _eq: 'done' } } } } },
      resolve: 'card',
      reject: 'nothing',
    },
    card: {
      type: 'item-read',
      options: { collection: 'cards', key: '{{ $trigger.keys[0] }}' },
      resolve: 'tell',
    },
    tell: {
      type: 'item-create',
      options: {
        collection: 'messages',
        payload: { text: '“{{ card.title }}” is done.', team: '{{ card.team }}' },
      },
    },
    nothing: { type: 'log', options: { message: 'Moved elsewhere.' } },
  },
})

export const flows = createFlows(engine, { flows: [done] })
