// The forms in which users write: for each what the schema says, the rules of the caller, what listens, and what is sent. One table.
import {
  type Access,
  type CollectionDefinition,
  createEngine,
  defineSchema,
  type Engine,
  type Schema,
} from 'quernel'

export const verbs = ['create', 'update', 'delete', 'upsert'] as const
export type Verb = (typeof verbs)[number]

type Values = Readonly<Record<string, unknown>>
type Fields = CollectionDefinition['fields']

export interface Form {
  /** Fields of notes that are otherwise than usual. */
  readonly fields?: Fields
  readonly isVersioned?: true
  /** The table of the notes, where it is another. */
  readonly table?: 'traced'
  /** Rules of the caller. Without them nobody is asked. */
  readonly rules?: Values
  readonly begin?: (engine: Engine) => void
  /** What is written beside the usual. */
  readonly written?: Values
  /** True if new notes do not name their author: the schema's default or a preset fills it in. */
  readonly leavesAuthorOut?: true
  /** What is added to numbers, which documents have apart from the data. */
  readonly added?: Readonly<Record<string, number>>
  /** Options of calls, and of the engine for doors that take none. */
  readonly options?: Values
  readonly engineOptions?: Values
  /** The verbs that the form is for; by default all. */
  readonly verbs?: readonly Verb[]
}

const own = { author: '$CURRENT_USER' } as const
const theirs = { author: { members: { member: '$CURRENT_USER' } } } as const
const filter = { filter: own } as const
const filtered = { read: filter, create: filter, update: filter, delete: filter } as const
const related = { people: { read: true }, members: { read: true } } as const
const personal: Fields = { author: { type: 'm2o', to: 'people', default: 1 } }
const isOpen = { _or: [{ views: { _lt: 1_000_000 } }, { state: 'open' }] } as const
const someFields = { fields: ['id', 'title', 'state', 'views'] } as const

/** Adds the same to the rules for creating and for updating. */
const writing = (more: Values, rule: Values = filter) => ({
  notes: { ...filtered, create: { ...rule, ...more }, update: { ...rule, ...more } },
})

export const forms: Readonly<Record<string, Form>> = {
  none: {},
  'filter on an own column': { rules: { notes: filtered } },
  'filter and validation with $CURRENT_USER, its field untouched': {
    rules: writing({ validation: own }),
    leavesAuthorOut: true,
  },
  'filter and validation with $CURRENT_USER, its field written': {
    rules: writing({ validation: own }),
    written: { author: 1 },
  },
  presets: { rules: writing({ presets: own }), leavesAuthorOut: true },
  fields: { rules: writing(someFields), leavesAuthorOut: true },
  'validation over a stored field': { rules: writing({ validation: isOpen }) },
  "schema's validation over a stored field": {
    fields: { views: { type: 'integer', validation: isOpen } },
    rules: { notes: filtered },
  },
  "schema's validation through a stored reference": {
    fields: { ...personal, views: { type: 'integer', validation: { author: { name: { _neq: 'Bo' } } } } },
    rules: { notes: filtered, people: { read: true } },
  },
  'filter through a membership': {
    fields: personal,
    rules: {
      notes: {
        read: { filter: theirs },
        create: { filter: theirs },
        update: { filter: theirs },
        delete: { filter: theirs },
      },
      ...related,
    },
  },
  'validation through a membership': {
    fields: personal,
    rules: { ...writing({ validation: theirs }), ...related },
  },
  'two rules for an action': {
    rules: {
      notes: Object.fromEntries(
        ['read', 'create', 'update', 'delete'].map((action) => [
          action,
          [filter, { filter: { state: 'shared' }, ...(action !== 'delete' && someFields) }],
        ]),
      ),
    },
  },
  'fields that are seen on some rows only': {
    rules: {
      notes: { ...filtered, read: [filter, { filter: { state: 'shared' }, fields: ['id', 'title'] }] },
    },
  },
  'a reference in the payload under rules': {
    fields: personal,
    rules: { notes: filtered, people: { read: { filter: { id: '$CURRENT_USER' } } } },
    written: { author: 1 },
  },
  'a collection with one o2m field': { fields: { comments: { type: 'o2m', from: 'comments.note' } } },
  'versioned collection': { isVersioned: true },
  'hook before': {
    begin: (engine) => {
      for (const event of ['items.create', 'items.update', 'items.delete'] as const)
        engine.on(event, 'notes', () => undefined, { when: 'before' })
    },
  },
  'trigger on the table': { table: 'traced' },
  listener: { begin: listen },
  'signal and timeoutMs': {
    options: { signal: new AbortController().signal, timeoutMs: 600_000 },
    engineOptions: { timeoutMs: 600_000 },
  },
  increment: {
    added: { views: 1 },
    verbs: ['update'],
  },
}

export const formNames: readonly string[] = Object.keys(forms)
export const formOf = (name: string): Form => {
  const form = forms[name]
  if (!form) throw new Error(`There is no form "${name}", only ${formNames.join('; ')}.`)
  return form
}

export const verbsOf = ({ verbs: own }: Form): readonly Verb[] => own ?? verbs

/** The user who writes. */
export const caller = 1

/** An engine for a form, and who calls. */
export interface Opened {
  readonly engine: Engine
  readonly access: Access<Schema>
}

export function openForm(form: Form, db: Parameters<typeof createEngine>[0]['db']): Opened {
  const schema = defineSchema({
    notes: {
      ...(form.table && { table: form.table }),
      ...(form.isVersioned && { versioned: true }),
      fields: {
        id: { type: 'integer', key: true },
        title: { type: 'string' },
        state: { type: 'string', default: 'open' },
        views: { type: 'integer', default: 0 },
        author: { type: 'integer', default: 1 },
        ...form.fields,
      },
    },
    people: {
      fields: {
        id: { type: 'integer', key: true },
        name: { type: 'string' },
        members: { type: 'o2m', from: 'members.person' },
      },
    },
    members: {
      fields: {
        id: { type: 'integer', key: true },
        person: { type: 'm2o', to: 'people' },
        member: { type: 'integer' },
      },
    },
    comments: {
      fields: {
        id: { type: 'integer', key: true },
        note: form.fields?.comments ? { type: 'm2o', to: 'notes' } : { type: 'integer' },
        body: { type: 'string' },
      },
    },
  } as Parameters<typeof defineSchema>[0]) // the forms' fields are plain data
  const engine: Engine = createEngine({ db, schema, ...form.engineOptions })
  form.begin?.(engine)
  const access = form.rules ? { user: caller, rules: form.rules } : { admin: true }
  return { engine, access: access as Access<Schema> } // rules of any schema
}

/** The engine of a caller, narrowed anew as for each request. Without rules it is the engine itself. */
export const callerOf = (form: Form, { engine, access }: Opened): Engine =>
  form.rules ? engine.as(access) : engine

const plain = ({ leavesAuthorOut, written }: Form) => ({
  title: 'New',
  state: 'open',
  views: 1,
  ...(!leavesAuthorOut && { author: 1 }),
  ...written,
})

/** What each verb is given, as functions and HTTP take it. */
export const payloads: Readonly<Record<Verb, (form: Form, key: number) => Values | undefined>> = {
  create: plain,
  update: ({ written, added = {} }, key) => ({
    title: `Title ${key}`,
    views: key,
    ...written,
    ...Object.fromEntries(Object.entries(added).map(([name, count]) => [name, { _inc: count }])),
  }),
  delete: () => undefined,
  upsert: (form, key) => ({ id: key, ...plain(form), views: key }),
}

const internals: unique symbol = Symbol.for('quernel.internals') as never

/** Hears of all writes, as feeds do. */
function listen(engine: Engine): void {
  const inside = engine as unknown as {
    readonly [internals]: {
      readonly hooks: { readonly listeners: { add(listener: () => void, wants: () => boolean): void } }
    }
  }
  inside[internals].hooks.listeners.add(
    () => undefined,
    () => true,
  )
}
