'use client'
import { connect, createItem, liveList, updateItem } from 'quernel/client'
import { type FormEvent, type PointerEvent, useRef, useState, useSyncExternalStore } from 'react'
import type { Api } from '../schema.ts'

const columns = { todo: 'To do', doing: 'Doing', done: 'Done' } as const
const names = ['todo', 'doing', 'done'] as const

// What is written may be hidden from its writer, and rules fill in author and team.
const api = connect<Api, 'narrowed'>('/api', { token: location.hash.slice(1) || 'ada' })
const cards = liveList(api, 'cards', {
  fields: ['id', 'title', 'state', 'place', 'author.name'],
  sort: 'place',
})
const messages = liveList(api, 'messages', { fields: ['text'], sort: '-id', limit: 5 })
type Card = ReturnType<typeof cards.getSnapshot>['items'][number]

export default function Board() {
  const { items, state } = useSyncExternalStore(cards.subscribe, cards.getSnapshot)
  const said = useSyncExternalStore(messages.subscribe, messages.getSnapshot).items
  const [refusal, tell] = useState('')
  const held = useRef<{ x: number; y: number }>(null)

  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const title = String(new FormData(form).get('title'))
    const place = (items.at(-1)?.place ?? 0) + 1
    await createItem(api, 'cards', { title, place }).then(
      () => form.reset(),
      ({ message }) => tell(message),
    )
  }

  function lift({ currentTarget, pointerId, button, clientX: x, clientY: y }: PointerEvent<HTMLLIElement>) {
    if (button !== 0) return
    currentTarget.setPointerCapture(pointerId)
    held.current = { x, y }
  }

  function move({ currentTarget, clientX: x, clientY: y }: PointerEvent<HTMLLIElement>) {
    if (held.current) currentTarget.style.translate = `${x - held.current.x}px ${y - held.current.y}px`
  }

  function putDown({ currentTarget }: PointerEvent<HTMLLIElement>) {
    currentTarget.style.translate = ''
    held.current = null
  }

  /** A card that is dropped on none goes below all. */
  function drop(event: PointerEvent<HTMLLIElement>, card: Card) {
    if (!held.current) return
    putDown(event)
    const target = document.elementFromPoint(event.clientX, event.clientY)
    const column = names.find((name) => name === target?.closest('section')?.id)
    if (!column || target === event.currentTarget) return
    const others = items.filter((one) => one.state === column && one.id !== card.id)
    const onto = target?.closest('li')?.dataset.id
    const at = others.findIndex(({ id }) => String(id) === onto)
    const [before, behind] = at < 0 ? [others.at(-1)] : [others[at - 1], others[at]]
    const place = between(before?.place, behind?.place)
    const change = card.state === column ? { place } : { place, state: column }
    updateItem(api, 'cards', card.id, change).catch(({ message }) => tell(message))
  }

  return (
    <>
      <h1>Board</h1>
      <form onSubmit={add}>
        <input name="title" maxLength={200} required aria-label="New card" />{' '}
        <button type="submit">Add</button>
      </form>
      <p role="status">{refusal || state}</p>
      <main>
        {names.map((column) => (
          <section key={column} id={column} aria-label={columns[column]}>
            <h2>{columns[column]}</h2>
            <ol>
              {items
                .filter((card) => card.state === column)
                .map((card) => (
                  <li
                    key={card.id}
                    title={card.author.name}
                    data-id={card.id}
                    onPointerDown={lift}
                    onPointerMove={move}
                    onPointerCancel={putDown}
                    onPointerUp={(event) => drop(event, card)}
                  >
                    {card.title}
                  </li>
                ))}
            </ol>
          </section>
        ))}
      </main>
      <pre id="messages">{said.map(({ text }) => text).join('\n')}</pre>
    </>
  )
}

/** A place between two neighbours, of which either may be missing. */
function between(before?: number, behind?: number): number {
  if (before === undefined) return (behind ?? 2) - 1
  return behind === undefined ? before + 1 : (before + behind) / 2
}
