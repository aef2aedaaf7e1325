import { connect, createItem } from 'quernel/client'

export const api = connect('/api', { token: location.hash.slice(1) || 'ada' })
export const query = { fields: ['id', 'title', 'state', 'place', 'author.name'], sort: 'place' }
export const tell = (text) => (document.querySelector('p').textContent = text)
let last = 0

export function show(cards) {
  last = cards.at(-1)?.place ?? 0
  for (const column of document.querySelectorAll('ol'))
    column.replaceChildren(...cards.filter(({ state }) => state === column.id).map(cardOf))
}

function cardOf({ author, title, ...data }) {
  const card = document.createElement('li')
  Object.assign(card.dataset, data)
  return Object.assign(card, { textContent: title, title: author.name })
}

const form = document.querySelector('form')
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  try {
    await createItem(api, 'cards', { title: form.elements.title.value, place: last + 1 })
    form.reset()
  } catch (error) {
    tell(error.message)
  }
})
