import { updateItem } from 'quernel/client'
import { api } from './cards.js'
import { onDrop } from './view.js'

onDrop((card, state, above, below) => {
  const low = above?.place ?? (below?.place ?? 2) - 2
  const high = below?.place ?? low + 2
  return updateItem(api, 'cards', card.id, { state, place: (low + high) / 2 })
})
