import { liveList } from 'quernel/client'
import { api, query } from './cards.js'
import { say, show } from './view.js'
import './drag.js'

const cards = liveList(api, 'cards', query)
cards.subscribe(() => show(cards.getSnapshot()))
const messages = liveList(api, 'messages', { fields: ['text'], sort: '-id', limit: 5 })
messages.subscribe(() => say(messages.getSnapshot()))
