import { updateItem } from 'quernel/client'
import { api, tell } from './cards.js'

let held = null
addEventListener('pointerdown', ({ target, button, x, y }) => {
  putDown()
  const card = target.closest('li')
  if (card && button === 0) held = { card, x, y }
})
addEventListener('pointermove', ({ x, y }) => {
  if (held) held.card.style.translate = `${x - held.x}px ${y - held.y}px`
})
addEventListener('pointercancel', () => putDown())
addEventListener('pointerup', ({ x, y }) => {
  const card = putDown()
  const target = document.elementFromPoint(x, y)
  const column = target?.closest('section')?.querySelector('ol')
  if (!card || !column || card === target) return
  const others = [...column.children].filter(({ dataset }) => dataset.id !== card.dataset.id)
  const at = others.indexOf(target.closest('li')) // -1: below all
  const place = between(...(at < 0 ? [others.at(-1)] : [others[at - 1], others[at]]))
  const change = card.dataset.state === column.id ? { place } : { place, state: column.id }
  updateItem(api, 'cards', Number(card.dataset.id), change).catch(({ message }) => tell(message))
})

function putDown() {
  const card = held?.card
  card?.removeAttribute('style')
  held = null
  return card
}

/** A place between two cards, of which either may be missing. */
function between(before, behind) {
  const [low, high] = [before, behind].map((card) => card && Number(card.dataset.place))
  if (low === undefined) return (high ?? 2) - 1
  return high === undefined ? low + 1 : (low + high) / 2
}
