// What the page shows and hears of, without the API: cards in columns, a form, and a drag by mouse or finger.
const form = document.querySelector('form')
let shown = []
let held = null

const tell = (text) => (document.querySelector('p').textContent = text)

/** Shows a list of cards, and its state. */
export function show({ items, state = '', error }) {
  shown = items
  tell(error?.message ?? state)
  for (const column of document.querySelectorAll('ol'))
    column.replaceChildren(...items.filter((card) => card.state === column.id).map(elementOf))
}

const elementOf = (card) =>
  Object.assign(document.createElement('li'), { textContent: card.title, title: card.author.name, card })

/** Shows messages, one a line. */
export function say({ items }) {
  document.querySelector('#messages').textContent = items.map(({ text }) => text).join('\n')
}

/** Hands on the title of a new card, and the last card. */
export function onAdd(add) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    add(form.elements.title.value, shown.at(-1)).then(
      () => form.reset(),
      ({ message }) => tell(message),
    )
  })
}

/** Hands on a card that is dropped, its new column, and the cards above and below. */
export function onDrop(drop) {
  addEventListener('pointerdown', ({ target, button, x, y }) => {
    putDown()
    const element = target.closest('li')
    if (element && button === 0) held = { element, x, y }
  })
  addEventListener('pointermove', ({ x, y }) => {
    if (held) held.element.style.translate = `${x - held.x}px ${y - held.y}px`
  })
  addEventListener('pointercancel', () => putDown())
  addEventListener('pointerup', ({ x, y }) => {
    const element = putDown()
    const target = document.elementFromPoint(x, y)
    const column = target?.closest('section')?.querySelector('ol')
    const onto = target?.closest('li')?.card.id
    if (!element || !column || element.card.id === onto) return
    const { card } = element
    const others = shown.filter(({ state, id }) => state === column.id && id !== card.id)
    const found = others.findIndex(({ id }) => id === onto)
    const at = found < 0 ? others.length : found // below all
    drop(card, column.id, others[at - 1], others[at]).catch(({ message }) => tell(message))
  })
}

function putDown() {
  const element = held?.element
  element?.removeAttribute('style')
  held = null
  return element
}
