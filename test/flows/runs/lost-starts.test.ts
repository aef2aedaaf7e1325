// Starts of runs while the connection breaks at each of their calls: whatever is stored is answered.
import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFlows, defineFlow, type Flows } from '../../../src/flows.ts'
import { createHandler, type Handler } from '../../../src/http.ts'
import { createEngine, isEngineError } from '../../../src/index.ts'
import { fuzzSeed } from '../../property/seeded-random.ts'
import { oneIn } from '../../support/long-runs.ts'
import { type Injected, injectedDatabases } from '../../writes/injector.ts'
import { schema } from './world.ts'

/** What whoever starts a run is told. */
interface Told {
  readonly id?: unknown
  readonly state?: unknown
  readonly mayBeStored?: unknown
}

type Door = (start: number, flows: Flows, handler: Handler) => Promise<Told>

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

function signature(id: string, body: string): Record<string, string> {
  const time = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const text = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${text}` }
}

const requested =
  (name: string, headersOf: (start: number, body: string) => Record<string, string>): Door =>
  async (start, _flows, handler) => {
    const body = JSON.stringify({ collection: 'articles', start })
    const headers = { 'content-type': 'application/json', ...headersOf(start, body) }
    const address = `http://localhost/flows/trigger/${name}`
    const response = await handler(new Request(address, { method: 'POST', body, headers }))
    const told = (await response.json()) as Told & { readonly errors?: readonly { extensions: Told }[] }
    if (response.status === 202) return told
    expect(response.status).toBeGreaterThanOrEqual(500)
    return { mayBeStored: told.errors?.[0]?.extensions.mayBeStored }
  }

const called =
  (options: (start: number) => object): Door =>
  (start, flows) =>
    flows.run('called', { start }, options(start)).catch((error: unknown) => {
      if (!isEngineError(error)) throw error
      return { mayBeStored: error.extensions.mayBeStored }
    })

const doors = {
  'flows.run': called(() => ({})),
  'flows.run with a key': called((start) => ({ key: `key ${start}` })),
  'a webhook': requested('hooked', () => ({})),
  'a webhook with an Idempotency-Key': requested('hooked', (start) => ({ 'idempotency-key': `${start}` })),
  'a signed webhook': requested('signed', (start, body) => signature(`msg_${start}`, body)),
  'a manual start': requested('manual', () => ({ authorization: 'Bearer ada' })),
} as const satisfies Readonly<Record<string, Door>>

const flow = (name: string, trigger: object) => defineFlow({ name, trigger, access: 'nobody' } as never)

// Two looks: one at once, one at the end of the time.
const waitMs = 20
const definitions = [
  flow('called', { on: 'flow' }),
  flow('hooked', { on: 'webhook', allow: 'public', waitMs }),
  flow('signed', {
    on: 'webhook',
    allow: 'signed',
    waitMs,
    hmac: { scheme: 'standard', secret: ['SHOP'] },
  }),
  flow('manual', { on: 'manual', allow: 'authenticated', needsSelection: false, waitMs }),
]

/** More calls than any start takes. */
const mostCalls = 20

describe.each(injectedDatabases)('with $title', ({ faults, open }) => {
  let opened: Injected
  let flows: Flows
  let handler: Handler
  let errors: unknown[]
  beforeEach(async () => {
    opened = await open()
    errors = []
    const onError = (error: unknown) => void errors.push(error)
    const engine = createEngine({ db: opened.db, schema, flows: {}, onError })
    // No worker runs: the calls are those of the start alone.
    flows = createFlows(engine, {
      flows: definitions,
      secrets: { SHOP: secret },
      access: () => null,
      onError,
    })
    await flows.install()
    const rules = { articles: { read: true } }
    handler = createHandler(engine, {
      authenticate: (token) => (token === 'ada' ? { user: 7, rules } : null),
      mounts: [flows],
      onError,
    })
  })
  afterEach(() => opened.close())

  const storedSince = async (known: Set<string>) => {
    const { rows } = await sql<{ id: string }>`select id from quernel_runs`.execute(opened.db)
    const fresh = rows.map(({ id }) => id).filter((id) => !known.has(id))
    for (const id of fresh) known.add(id)
    return fresh
  }

  const cases = faults.flatMap((fault) =>
    Object.entries(doors).map(([name, door]) => ({ fault, name, door })),
  )
  it.each(oneIn(3, cases, fuzzSeed))(
    `$name answers what is stored, whichever call is $fault, from seed ${fuzzSeed}`,
    async ({ fault, door }) => {
      const known = new Set<string>()
      await door(0, flows, handler)
      await storedSince(known)
      let isReached = true
      for (let at = 1; isReached && at < mostCalls; at++) {
        opened.arm(at, fault)
        const told = await door(at, flows, handler)
        isReached = opened.calls.length >= at
        opened.arm(0)
        const stored = await storedSince(known)
        const what = `${fault} at call ${at} of "${opened.calls.at(-1)}"`
        if (stored.length > 0) expect([told.id, told.state], what).toEqual([stored[0], 'ready'])
        else expect([told.id, told.mayBeStored], what).toEqual([undefined, undefined])
        expect(stored.length, what).toBeLessThanOrEqual(1)
        if (!isReached) expect(stored, what).toHaveLength(1)
      }
      expect(isReached).toBe(false)
    },
  )

  it('flows.run leaves out the steps that cannot be read, and onError hears why', async () => {
    await sql`alter table quernel_steps rename to gone`.execute(opened.db)
    const { id, ...rest } = await flows.run('called', {}, { key: 'once' })
    expect(rest).toMatchObject({ flow: 'called', state: 'ready' })
    expect(rest).not.toHaveProperty('steps')
    expect(await storedSince(new Set())).toContain(id)
    expect(errors).toHaveLength(1)
  })
})
