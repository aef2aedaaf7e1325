// R6: writes that concern no list: of a collection that nobody watches, and of rows that are in no list of theirs; beside the same without a feed.
import { createItem, updateItem } from 'quernel'
import { contest } from '../contest.ts'
import { bestOf } from '../ratios.ts'
import { Audience, openFeed } from './audience.ts'
import { scenes } from './changes.ts'
import type { Figure, Measuring } from './figures.ts'
import type { Watched } from './ground.ts'

/** Subscribers of other rows. */
const others = 100
/** The tenant of no subscriber. */
const nobody = -1

type Writes = Readonly<Record<string, (engine: Watched) => Promise<unknown>>>

export async function measureUnwatched({ ground, callers, seconds }: Measuring): Promise<readonly Figure[]> {
  const feed = openFeed(ground.engine)
  const { watch } = scenes.R1(callers)
  const lists = Array.from({ length: others }, (_, caller) => watch(feed, caller))
  const audience = await Audience.of(feed, lists)
  const { id } = await createItem(ground.bare, 'elsewhere', { title: 'Old' })
  const ticket = { id: callers + 1, tenant: nobody, amount: 0, title: 'Old', changed: 0 }
  await createItem(ground.bare, 'tickets', ticket)
  let turn = 0
  const elsewhere: Writes = {
    createItem: (engine) => createItem(engine, 'elsewhere', { title: 'New' }),
    updateItem: (engine) => updateItem(engine, 'elsewhere', id, { title: `Turn ${turn++}` }),
  }
  const beside: Writes = {
    create: (engine) => createItem(engine, 'tickets', { ...ticket, id: ticket.id + ++turn }),
    'update of a title': (engine) => updateItem(engine, 'tickets', ticket.id, { title: `Turn ${turn++}` }),
    'update of an amount': (engine) => updateItem(engine, 'tickets', ticket.id, { amount: turn++ }),
  }
  try {
    const figures = [
      ...(await ratios(elsewhere, '', { ground, seconds })),
      ...(await ratios(beside, ' beside lists', { ground, seconds })),
    ]
    await audience.leave()
    return [...figures, ...(await ratios(beside, ' after lists', { ground, seconds }))]
  } finally {
    await audience.leave()
    await feed.stop()
  }
}

/** Each write, and what follows it in the turns of the loop after it, beside the same without a feed. */
async function ratios(
  writes: Writes,
  when: string,
  { ground, seconds }: Pick<Measuring, 'ground' | 'seconds'>,
): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const [what, write] of Object.entries(writes)) {
    const entrants = [
      { party: 'fed', form: what, run: () => write(ground.engine).then(turns) },
      { party: 'bare', form: what, run: () => write(ground.bare).then(turns) },
      { party: 'none', form: what, run: () => turns() },
    ]
    const results = await contest(entrants, () => noTurn, seconds)
    const timeOf = (party: string) => bestOf(party, results)?.time ?? Number.NaN
    const none = timeOf('none')
    figures.push({ what: what + when, value: (timeOf('fed') - none) / (timeOf('bare') - none), unit: '×' })
  }
  return figures
}

const turns = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }
