// Where a verb is called: alone, or inside of transactions.
import { createItem, type Options } from '../../../src/index.ts'
import type { Notes } from './late-schema.ts'

/** Calls a part of some work, and notes what it was told. */
export type Part = (name: string, work: () => Promise<unknown>) => Promise<void>

type Act = (engine: Notes, options: Options) => Promise<unknown>

const first = (engine: Notes, mark: string) => createItem(engine, 'lines', { text: `first ${mark}` })
const last = (engine: Notes, mark: string) => createItem(engine, 'lines', { text: `last ${mark}` })

/** Where a verb is called. What fails of it is caught where there is more to do. */
export const shapes: Readonly<
  Record<string, (engine: Notes, mark: string, act: Act, part: Part, options: Options) => Promise<unknown>>
> = {
  alone: (engine, _mark, act, part, options) => part('verb', () => act(engine, options)),
  'in a transaction': (engine, mark, act, part, options) =>
    engine.transaction(async (inside) => {
      await part('first', () => first(inside, mark))
      await part('verb', () => act(inside, {}))
      await part('last', () => last(inside, mark))
    }, options),
  'in a transaction in a transaction': (engine, mark, act, part, options) =>
    engine.transaction(async (outer) => {
      await part('first', () => first(outer, mark))
      const inner = () => outer.transaction((inside) => act(inside, options), options)
      await part('verb', inner).catch(() => undefined)
      await part('last', () => last(outer, mark))
    }, options),
  'at once in a transaction': (engine, mark, act, part, options) =>
    engine.transaction(async (inside) => {
      await Promise.allSettled([
        part('first', () => first(inside, mark)),
        part('verb', () => act(inside, options)),
        part('last', () => last(inside, mark)),
      ])
    }, options),
  'caught in a transaction': (engine, mark, act, part, options) =>
    engine.transaction(async (inside) => {
      await part('first', () => first(inside, mark)).catch(() => undefined)
      await part('verb', () => act(inside, options)).catch(() => undefined)
      await part('last', () => last(inside, mark)).catch(() => undefined)
    }),
  "in a transaction of the host's": async (engine, mark, act, part, options) => {
    const inside = await engine.db.transaction().execute(async (transaction) => {
      const inside = engine.using(transaction)
      await part('first', () => first(inside, mark)).catch(() => undefined)
      await part('verb', () => act(inside, options)).catch(() => undefined)
      await part('last', () => last(inside, mark)).catch(() => undefined)
      return inside
    })
    await inside.committed()
  },
}
