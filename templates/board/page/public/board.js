import { liveList } from 'quernel/client'
import { api, query, show, tell } from './cards.js'

const cards = liveList(api, 'cards', query)
cards.subscribe(() => {
  const { state, items, error } = cards.getSnapshot()
  tell(error?.message ?? state)
  show(items)
})

const messages = liveList(api, 'messages', { fields: ['text'], sort: '-id', limit: 5 })
messages.subscribe(() => {
  const lines = messages.getSnapshot().items.map(({ text }) => text)
  document.querySelector('#messages').textContent = lines.join('\n')
})
