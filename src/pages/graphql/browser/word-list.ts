// The list of words below the cursor.

import { element, fill } from '../../kit/elements.ts'
import type { Suggestion } from '../language/complete.ts'

interface WordList {
  readonly isOpen: () => boolean
  /** Shows words below an element, the first of them chosen. */
  readonly open: (words: readonly Suggestion[], anchor: HTMLElement) => void
  readonly close: () => void
  /** Chooses another word, by its distance from the chosen one. Behind the last one follows the first. */
  readonly move: (distance: number) => void
  readonly chosen: () => Suggestion | undefined
}

/** Maximum number of words in the list; typing more narrows it down. */
const most = 100

export function createWordList(field: HTMLTextAreaElement, accept: () => void): WordList {
  const list = element('ul', {
    class: 'suggestions',
    role: 'listbox',
    id: `${field.id}-words`,
    'aria-label': 'Words that fit',
  })
  const about = element('p', { class: 'about', 'aria-live': 'polite' })
  const popup = element('div', { class: 'popup', hidden: true }, list, about)
  document.body.append(popup)
  field.setAttribute('aria-autocomplete', 'list')
  field.setAttribute('aria-controls', list.id)
  let words: readonly Suggestion[] = []
  let below: HTMLElement | undefined
  let chosen = 0

  const choose = (index: number): void => {
    chosen = index
    for (const [at, option] of [...list.children].entries())
      option.setAttribute('aria-selected', String(at === index))
    list.children[index]?.scrollIntoView({ block: 'nearest' })
    field.setAttribute('aria-activedescendant', `${list.id}-${index}`)
    about.textContent = words[index]?.description ?? ''
  }
  list.addEventListener('mousedown', (event) => {
    event.preventDefault()
    const option = event.target instanceof Element ? event.target.closest('li') : null
    if (!option) return
    choose([...list.children].indexOf(option))
    accept()
  })
  // The text moves below the list, also when the cursor leaves the part that is seen.
  addEventListener('scroll', () => below && !popup.hidden && place(popup, below), true)
  return {
    isOpen: () => !popup.hidden,
    open: (given, anchor) => {
      words = given.slice(0, most)
      fill(list, ...words.map((word, index) => option(word, `${list.id}-${index}`)))
      popup.hidden = false
      choose(0)
      below = anchor
      place(popup, anchor)
    },
    close: () => {
      popup.hidden = true
      field.removeAttribute('aria-activedescendant')
    },
    move: (distance) => choose((chosen + distance + words.length) % words.length),
    chosen: () => words[chosen],
  }
}

const option = ({ text, detail, isDeprecated }: Suggestion, id: string): HTMLElement =>
  element(
    'li',
    { role: 'option', id, class: isDeprecated ? 'deprecated' : undefined },
    element('span', {}, text),
    element('span', { class: 'type' }, detail),
  )

/** Places the list below the anchor, or above it where there is no room. */
function place(popup: HTMLElement, anchor: HTMLElement): void {
  const { left, top, bottom } = anchor.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = popup
  const isBelow = bottom + offsetHeight <= innerHeight || top < offsetHeight
  popup.style.left = `${Math.max(0, Math.min(left, innerWidth - offsetWidth - 8))}px`
  popup.style.top = `${isBelow ? bottom : top - offsetHeight}px`
}
