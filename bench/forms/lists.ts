// The forms of writes with lists of notes, and with notes that a query selects.
import {
  createItems,
  deleteByQuery,
  deleteItems,
  type Engine,
  updateByQuery,
  updateEach,
  updateItems,
  upsertItems,
} from 'quernel'
import { callerOf, type Form, type Opened, payloads } from './forms.ts'

export const listVerbs = [
  'create',
  'update alike',
  'update each',
  'upsert',
  'delete',
  'update by query',
  'delete by query',
] as const
export type ListVerb = (typeof listVerbs)[number]

/** True for verbs whose notes are gone afterwards. */
export const isLast = (verb: ListVerb): boolean => verb.startsWith('delete')

interface List {
  readonly form: Form
  /** The keys of the notes: a range, so that a query finds them. */
  readonly keys: readonly number[]
  /** A number that makes values new. */
  readonly turn: number
}

/** Any verb of an engine of any schema. */
type Run = (engine: Engine, list: List) => Promise<unknown>

const shaping = { fields: ['id'] } as never
const noKeys = { keys: false }

const rangeOf = ({ keys }: List) => ({ filter: { id: { _gte: keys[0], _lte: keys.at(-1) } } }) as never

const runs: Readonly<Record<ListVerb, Run>> = {
  create: (engine, { form, keys }) =>
    createItems(
      engine,
      'notes',
      keys.map((key) => payloads.create(form, key)) as never,
      shaping,
      form.options,
    ),
  'update alike': (engine, { form, keys, turn }) =>
    updateItems(engine, 'notes', keys as never, payloads.update(form, turn) as never, shaping, form.options),
  'update each': (engine, { form, keys, turn }) => {
    const updates = keys.map((key) => ({ ...payloads.update(form, key + turn), id: key }))
    return updateEach(engine, 'notes', updates as never, shaping, form.options)
  },
  upsert: (engine, { form, keys, turn }) => {
    const items = keys.map((key) => ({ ...payloads.upsert(form, key), title: `Title ${key + turn}` }))
    return upsertItems(engine, 'notes', items as never, shaping, form.options as never)
  },
  delete: (engine, { form, keys }) => deleteItems(engine, 'notes', keys as never, undefined, form.options),
  'update by query': (engine, { form, keys, turn }) =>
    updateByQuery(engine, 'notes', rangeOf({ form, keys, turn }), payloads.update(form, turn) as never, {
      ...form.options,
      ...noKeys,
    }),
  'delete by query': (engine, list) =>
    deleteByQuery(engine, 'notes', rangeOf(list), { ...list.form.options, ...noKeys }),
}

/** Writes the notes with some keys, which follow each other, or as many new ones. */
export const openList =
  (verb: ListVerb, form: Form, opened: Opened) =>
  (keys: readonly number[], turn: number): Promise<unknown> =>
    runs[verb](callerOf(form, opened), { form, keys, turn })
