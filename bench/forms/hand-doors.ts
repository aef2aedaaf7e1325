// The statements by hand by each door: as functions, in a transaction, behind node:http, and as resolvers of graphql-js.
import type { RequestListener } from 'node:http'
import { buildSchema, type DocumentNode, execute, parse, validate } from 'graphql'
import type { DatabaseName } from '../options.ts'
import { type Door, documentFor, routes, type Write } from './doors.ts'
import { type Form, formOf, payloads, type Verb } from './forms.ts'
import { boundBy, handProgram } from './hand.ts'
import type { Runs } from './hand-runners.ts'
import { requested } from './served.ts'

export function openHand(
  database: DatabaseName,
  { form: name, verb, door }: { readonly form: string; readonly verb: Verb; readonly door: Door },
  runs: Runs,
): Write {
  const form = formOf(name)
  const answer = door === 'default' ? 'default' : 'id'
  const run = runs(handProgram(database, name, verb, answer), door === 'transaction')
  const write: Write = async (key) => {
    const { row, changes } = await run(boundBy(form, verb, key))
    if (changes === 0) throw new Error('Nothing was written.')
    return verb === 'delete' ? undefined : row
  }
  if (door === 'http') return overHttp(verb, form, write)
  return door === 'graphql' ? byResolvers(verb, form, write) : write
}

function overHttp(verb: Verb, form: Form, write: Write): Write {
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const sent = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined
    const [, key] = /^\/items\/notes\/(\d+)/.exec(request.url ?? '') ?? []
    const row = await write(Number(key ?? sent?.id ?? 0))
    if (row === undefined) {
      response.writeHead(204)
      response.end()
      return
    }
    const text = JSON.stringify({ data: row })
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
  }
  return (key) => {
    const [method, path] = routes[verb](key)
    const data = payloads[verb](form, key)
    return requested(listener, method, path, data && JSON.stringify(data))
  }
}

const schema = buildSchema(`
  input create_notes_input { title: String! state: String views: Int author: Int }
  input update_notes_input { title: String state: String views: Int author: Int }
  input upsert_notes_input { id: ID title: String state: String views: Int author: Int }
  input increment_notes_input { views: Int }
  type notes { id: ID }
  type Query { notes: [notes!]! }
  type Mutation {
    create_notes_item(data: create_notes_input!): notes
    update_notes_item(id: ID!, data: update_notes_input!, inc: increment_notes_input): notes
    upsert_notes_item(data: upsert_notes_input!): notes
    delete_notes_item(id: ID!): notes
  }
`)

/** Documents that were parsed and validated once, as servers keep them. */
const parsed = new Map<string, DocumentNode>()

function byResolvers(verb: Verb, form: Form, write: Write): Write {
  const root = {
    [`${verb}_notes_item`]: async ({ id, data }: { readonly id?: string; readonly data?: { id?: string } }) =>
      (await write(Number(id ?? data?.id ?? 0))) ?? { id },
  }
  return async (key) => {
    const { query, variables } = documentFor(verb, form, key)
    let document = parsed.get(query)
    if (!document) {
      document = parse(query)
      const [error] = validate(schema, document)
      if (error) throw error
      parsed.set(query, document)
    }
    const { data, errors } = await execute({ schema, document, rootValue: root, variableValues: variables })
    if (errors) throw errors[0]
    return JSON.stringify({ data })
  }
}
