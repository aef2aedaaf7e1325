import { createFlows, defineFlow } from 'quernel/flows'
import { engine } from './api.ts'

const payload = { text: 'New: {{ $trigger.payload.title }}', card: '{{ $trigger.key }}' }
const told = defineFlow({
  name: 'told',
  trigger: { on: 'items.create', collections: ['cards'], when: 'after' },
  access: 'full', // people may not write messages
  first: 'tell',
  operations: { tell: { type: 'item-create', options: { collection: 'messages', payload } } },
})
export const flows = createFlows(engine, { flows: [told] })
await flows.install()
