// Requests and their answers as data, tried on every way to a handler and on both databases.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Path } from '../../src/errors/errors.ts'
import { fuzzSeed } from '../property/seeded-random.ts'
import { databases } from '../support/databases.ts'
import { openWorld, type World } from './magazine.ts'
import { troubles } from './process.ts'
import { type Answer, type Transport, transportsTo, type Wire } from './transports.ts'

export interface Exchange {
  readonly title: string
  /** The token of who asks: the administrator's unless told otherwise; null for none. */
  readonly as?: string | null
  /** Method and path below the prefix. */
  readonly send: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. What is wrong with it is not ours to say where a parser has read it. */
  readonly bytes?: string | Uint8Array
  readonly status: number
  /** The body of the answer, as JSON; without it, none is expected of a success. */
  readonly answer?: unknown
  /** The body of the answer, as text. */
  readonly text?: string | RegExp
  /** The code of the first error, and where it was found. */
  readonly fault?: readonly [code: string, path?: Path]
  readonly shows?: Readonly<Record<string, string | RegExp | undefined>>
  /** What the administrator reads afterwards, by path. */
  readonly after?: Readonly<Record<string, unknown>>
  /** The host is told. */
  readonly tells?: true
}

/** @example answered([{ title: 'an unknown item is not found', send: 'GET /items/articles/9', status: 404, fault: ['NOT_FOUND'] }]) */
export function answered(exchanges: readonly Exchange[]): void {
  describe.each(databases)(`on $name (QUERNEL_SEED=${fuzzSeed})`, (database) => {
    let world: World
    beforeAll(async () => {
      world = await openWorld(database)
    })

    describe.each(transportsTo(database))('$title', (transport) => {
      let wire: Wire
      beforeAll(async () => {
        wire = await transport.open(world.handler)
      })
      afterEach(() => expect(troubles()).toEqual([]))

      const reaching = exchanges.filter((exchange) => reaches(exchange, transport))
      // A title that is filled in whole, whatever its length.
      it.each(reaching.map((exchange) => [exchange.title, exchange] as const))('%s', async (_, exchange) => {
        const answer = await sent(exchange, wire)
        const told = world.told()
        if (exchange.tells) expect(told).toHaveLength(1)
        else expect(told).toEqual([])
        check(answer, exchange)
        for (const [path, expected] of Object.entries(exchange.after ?? {}))
          expect(JSON.parse((await sent({ send: `GET ${path}` }, wire)).text)).toEqual(expected)
        if (!/^(GET|HEAD|SEARCH|OPTIONS) /.test(exchange.send)) await world.reset()
      })
    })
  })
}

const reaches = ({ bytes }: Exchange, { parses }: Transport) => bytes === undefined || !parses

function sent({ as = 'admin', send, headers, body, bytes }: Partial<Exchange>, wire: Wire): Promise<Answer> {
  const [method = '', path = ''] = send?.split(' ') ?? []
  const raw = bytes ?? (body === undefined ? undefined : JSON.stringify(body))
  return wire.send({
    method,
    path: `/api${path}`,
    headers: {
      ...(as !== null && { authorization: `Bearer ${as}` }),
      ...(raw !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: raw === undefined ? undefined : Buffer.from(raw),
  })
}

function check({ status, headers, text }: Answer, exchange: Exchange): void {
  expect({ status, text }).toMatchObject({ status: exchange.status })
  for (const [name, expected] of Object.entries(exchange.shows ?? {}))
    if (expected instanceof RegExp) expect(headers[name]).toMatch(expected)
    else expect({ [name]: headers[name] }).toEqual({ [name]: expected })
  if (exchange.text !== undefined) expect(text).toMatch(exchange.text)
  else if (exchange.answer !== undefined) expect(JSON.parse(text)).toEqual(exchange.answer)
  else if (status < 400) expect(text).toBe('')
  if (exchange.fault) checkFault(text, headers, exchange.fault)
}

function checkFault(text: string, headers: Answer['headers'], [code, path]: readonly [string, Path?]): void {
  const { errors } = JSON.parse(text)
  expect(errors[0].extensions).toMatchObject({ code, ...(path && { path }) })
  expect(errors[0].message).not.toMatch(
    /select |insert |sqlite|pg_|constraint|\.ts\b|\.js\b|keyring|\bat \//i,
  )
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
}
