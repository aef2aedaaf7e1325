'use client'
import { connect, createItem, liveList, updateItem } from 'quernel/client'
import { type DragEvent, type FormEvent, useRef, useState, useSyncExternalStore } from 'react'
import type { Api } from '../schema.ts'

const columns = { todo: 'To do', doing: 'Doing', done: 'Done' } as const

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
  const dragged = useRef<Card>(undefined)

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

  /** Without a card it goes below all. */
  function drop(event: DragEvent, column: Card['state'], onto?: Card) {
    event.preventDefault()
    event.stopPropagation()
    const card = dragged.current
    if (!card) return
    const others = items.filter((one) => one.state === column && one.id !== card.id)
    const at = onto ? others.findIndex(({ id }) => id === onto.id) : -1
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
        {Object.entries(columns).map(([column, title]) => (
          <section
            key={column}
            aria-label={title}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => drop(event, column as Card['state'])}
          >
            <h2>{title}</h2>
            <ol id={column}>
              {items
                .filter((card) => card.state === column)
                .map((card) => (
                  <li
                    key={card.id}
                    title={card.author.name}
                    draggable
                    onDragStart={() => {
                      dragged.current = card
                    }}
                    onDrop={(event) => drop(event, card.state, card)}
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
