// The recorded requests, each on a fresh copy of the database, and the answers of the service but for decisions.
import { beforeAll, describe, expect, it } from 'vitest'
import { createGraphQLHandler } from '../../../src/graphql.ts'
import { jsonLines } from '../../support/json-lines.ts'
import { answerDeviations } from '../answer-deviations.ts'
import { openService, type Service } from '../service.ts'

interface Recorded {
  readonly id: string
  readonly kind: 'read' | 'error' | 'mutation'
  readonly user: 'admin' | 'user' | 'writer' | null
  readonly query?: string | null
  readonly variables?: unknown
  readonly operationName?: string
  readonly method?: string
  readonly raw?: string
  readonly rawQuery?: string
  readonly body_extra?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  readonly answer: { readonly data?: unknown; readonly errors?: readonly unknown[] }
}

const recorded = jsonLines<Recorded>('graphql/fixture/answers.jsonl')

const decisions = new Map(
  answerDeviations.flatMap(({ decision, ids }) => ids.map((id) => [id, decision] as const)),
)

/** A number and its text are equal, as they are between databases. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' || typeof other === 'number')
    return one !== null && other !== null && String(one) === String(other)
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other
  const [names, others] = [Object.keys(one), Object.keys(other)]
  return (
    names.length === others.length &&
    names.every(
      (name) => Object.hasOwn(other, name) && isSame(Reflect.get(one, name), Reflect.get(other, name)),
    )
  )
}

/** The request that the client sent. */
function requestOf({ method = 'POST', ...asked }: Recorded): Request {
  const authorization = asked.user ? { authorization: `Bearer ${asked.user}-token` } : {}
  const { query, variables, operationName, raw, rawQuery, body_extra: more } = asked
  if (method === 'GET') {
    const given = new URLSearchParams()
    if (query) given.set('query', query)
    if (variables) given.set('variables', JSON.stringify(variables))
    return new Request(`http://localhost/graphql?${rawQuery ?? given}`, { headers: authorization })
  }
  const body = raw ?? JSON.stringify({ query, variables, operationName, ...more })
  const headers = { 'content-type': 'application/json', ...authorization, ...asked.headers }
  return new Request('http://localhost/graphql', { method, headers, body })
}

/** What both answers have in common: the data, and whether something failed. */
const outcomeOf = ({ data, errors }: Recorded['answer']) => ({
  data: data ?? null,
  failed: (errors?.length ?? 0) > 0,
})

const answerOf = async (service: Service, asked: Recorded) => {
  const handler = createGraphQLHandler(service.engine, { authenticate: service.authenticate })
  return (await handler(requestOf(asked))).json() as Promise<Recorded['answer']>
}

let shared: Service
beforeAll(async () => {
  shared = await openService()
})

describe('recorded requests', () => {
  it.each(recorded)('$id', async (asked) => {
    const service = asked.kind === 'mutation' ? await openService() : shared
    const [ours, theirs] = [outcomeOf(await answerOf(service, asked)), outcomeOf(asked.answer)]
    const decision = decisions.get(asked.id)
    if (decision === undefined) expect([ours, isSame(ours, theirs)]).toEqual([theirs, true])
    else expect(isSame(ours, theirs), `"${asked.id}" no longer differs: ${decision}`).toBe(false)
  })

  it('has only decisions about what is recorded', () => {
    const ids = new Set(recorded.map(({ id }) => id))
    expect([...decisions.keys()].filter((id) => !ids.has(id))).toEqual([])
  })
})
