import { connect, createItem } from 'quernel/client'
import { onAdd } from './view.js'

export const api = connect('/api', { token: location.hash.slice(1) || 'ada' })
export const query = { fields: ['*', 'author.name'], sort: 'place' }
onAdd((title, last) => createItem(api, 'cards', { title, place: (last?.place ?? 0) + 1 }))
