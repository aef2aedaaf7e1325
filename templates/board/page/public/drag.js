import { updateItem } from 'quernel/client'
import { api, tell } from './cards.js'

let dragged
addEventListener('dragstart', ({ target }) => (dragged = target.dataset))
addEventListener('dragover', (event) => event.preventDefault())
addEventListener('drop', (event) => {
  event.preventDefault()
  const column = event.target.closest('section')?.querySelector('ol')
  if (!column) return
  const others = [...column.children].filter(({ dataset }) => dataset.id !== dragged.id)
  const at = others.indexOf(event.target.closest('li')) // -1: below all
  const place = between(...(at < 0 ? [others.at(-1)] : [others[at - 1], others[at]]))
  const change = dragged.state === column.id ? { place } : { place, state: column.id }
  updateItem(api, 'cards', Number(dragged.id), change).catch(({ message }) => tell(message))
})

/** A place between two cards, of which either may be missing. */
function between(before, behind) {
  const [low, high] = [before, behind].map((card) => card && Number(card.dataset.place))
  if (low === undefined) return (high ?? 2) - 1
  return high === undefined ? low + 1 : (low + high) / 2
}
