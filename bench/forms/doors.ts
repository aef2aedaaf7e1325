// The doors by which each verb can be called: the same write by a function, in a transaction, over HTTP and by GraphQL.
import { createItem, deleteItem, type Engine, updateItem, upsertItem } from 'quernel'
import { answerGraphQL } from 'quernel/graphql'
import { createHandler } from 'quernel/http'
import { callerOf, type Form, type Opened, payloads, type Verb } from './forms.ts'

export const doors = ['id', 'default', 'transaction', 'http', 'graphql'] as const
export type Door = (typeof doors)[number]

/** Writes the note with a key, or a new one, and returns the answer. */
export type Write = (key: number) => Promise<unknown>

type Values = Readonly<Record<string, unknown>>

interface Call {
  readonly key: number
  readonly data: Values | undefined
  readonly query: object | undefined
  readonly options: object | undefined
}

/** Any verb of an engine of any schema. */
const functions: Readonly<Record<Verb, (engine: Engine, call: Call) => Promise<unknown>>> = {
  create: (engine, { data, query, options }) =>
    createItem(engine, 'notes', data as never, query as never, options),
  update: (engine, { key, data, query, options }) =>
    updateItem(engine, 'notes', key as never, data as never, query as never, options),
  delete: (engine, { key, options }) => deleteItem(engine, 'notes', key as never, options),
  upsert: (engine, { data, query, options }) =>
    upsertItem(engine, 'notes', data as never, query as never, options as never),
}

/** Method and path of each verb, as a handler of our own has them, too. */
export const routes: Readonly<Record<Verb, (key: number) => readonly [method: string, path: string]>> = {
  create: () => ['POST', '/items/notes?fields=id'],
  update: (key) => ['PATCH', `/items/notes/${key}?fields=id`],
  delete: (key) => ['DELETE', `/items/notes/${key}`],
  upsert: () => ['PUT', '/items/notes?fields=id'],
}

/** Documents with variables. */
export const documents: Readonly<Record<Verb, string>> = {
  create: 'mutation Create($data: create_notes_input!) { create_notes_item(data: $data) { id } }',
  update:
    'mutation Update($id: ID!, $data: update_notes_input!) { update_notes_item(id: $id, data: $data) { id } }',
  delete: 'mutation Delete($id: ID!) { delete_notes_item(id: $id) { id } }',
  upsert: 'mutation Upsert($data: upsert_notes_input!) { upsert_notes_item(data: $data) { id } }',
}

/** The one for forms that add. */
const adding =
  'mutation Add($id: ID!, $data: update_notes_input!, $inc: increment_notes_input) { update_notes_item(id: $id, data: $data, inc: $inc) { id } }'

export const openDoor: Readonly<Record<Door, (verb: Verb, form: Form, opened: Opened) => Write>> = {
  id: (verb, form, opened) => byFunction(verb, form, () => callerOf(form, opened), { fields: ['id'] }),
  default: (verb, form, opened) => byFunction(verb, form, () => callerOf(form, opened)),
  transaction: (verb, form, opened) => (key) =>
    callerOf(form, opened).transaction((inside) =>
      byFunction(verb, form, () => inside, { fields: ['id'] })(key),
    ),
  http: (verb, form, opened) => {
    const handler = createHandler(opened.engine, { authenticate: () => opened.access })
    return async (key) => {
      const [method, path] = routes[verb](key)
      const data = payloads[verb](form, key)
      const response = await handler(
        new Request(`http://localhost${path}`, {
          method,
          ...(data && { body: JSON.stringify(data), headers: { 'content-type': 'application/json' } }),
        }),
      )
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      return text === '' ? null : JSON.parse(text)
    }
  },
  graphql: (verb, form, opened) => async (key) => {
    const request = documentFor(verb, form, key)
    const answer = JSON.parse(await answerGraphQL(callerOf(form, opened), request))
    if (answer.errors) throw new Error(JSON.stringify(answer.errors))
    return answer
  },
}

const byFunction =
  (verb: Verb, form: Form, engine: () => Engine, query?: object): Write =>
  (key) =>
    functions[verb](engine(), { key, data: payloads[verb](form, key), query, options: form.options })

/** A document with its variables. */
export function documentFor(verb: Verb, form: Form, key: number) {
  const { added } = form
  const data = Object.entries(payloads[verb](form, key) ?? {}).filter(([name]) => !(added && name in added))
  return {
    query: added ? adding : documents[verb],
    variables: { id: key, data: Object.fromEntries(data), ...(added && { inc: added }) },
  }
}
