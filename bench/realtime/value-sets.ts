// R8: what one changed row means to 1,000 lists of one shape, read by one statement.
import { internalsOf } from '../../src/engine/engine.ts'
import { createEngine, defineSchema } from '../../src/index.ts'
import { type MembersRequest, memberShape, readMemberSets } from '../../src/items/watch/member-sets.ts'
import { storedKey } from '../../src/plan/key.ts'
import { type Figure, type Measuring, type Processor, processorOf, share } from './figures.ts'
import { ofTenant } from './ground.ts'

const sets = 1_000
const rounds = 100
const readsPerRound = 20

const schema = defineSchema({
  tickets: {
    fields: {
      id: { type: 'integer', key: true },
      tenant: { type: 'integer' },
      amount: { type: 'integer' },
      title: { type: 'string' },
    },
  },
})
const rules = { tickets: { read: { filter: { tenant: { _eq: '$CURRENT_USER' } } } } } as const

/** The engine has no function for it that hosts could call: it is a part of feeds, so it is measured in its source. */
export async function measureValueSets({ ground, seconds }: Measuring): Promise<readonly Figure[]> {
  const engine = createEngine({ db: ground.engine.db, schema })
  const tickets = internalsOf(engine).schema.collections.get('tickets')
  if (!tickets) throw new Error('There are no tickets.')
  const key = storedKey(tickets, 7)
  const requests = Array.from({ length: sets }, (_, caller): MembersRequest => {
    const query = { fields: ['id', 'title', 'amount'], filter: { amount: { _gte: caller % ofTenant } } }
    const access = { user: Math.floor(caller / ofTenant), rules }
    const request = { collection: 'tickets', query, part: 'members' } as const
    return { engine: internalsOf(engine.as(access)), request, keys: [key] }
  })
  const shapes = new Set(requests.map((one) => memberShape(one.engine, one.request)))
  if (shapes.size !== 1 || shapes.has(undefined)) throw new Error('These lists have not one shape.')
  const members = (await readMemberSets(requests)).flat().length
  if (members !== ofTenant) throw new Error(`The row is a member of ${members} lists instead of ${ofTenant}.`)
  const spent: Processor[] = []
  for (let round = 0; round < (rounds * seconds) / 8; round++)
    spent.push(
      await processorOf(ground, async () => {
        for (let read = 0; read < readsPerRound; read++) await readMemberSets(requests)
      }),
    )
  const median = (of: (one: Processor) => number) => share(spent.map(of), 0.5) / readsPerRound
  return [
    { what: 'read', value: median(({ here }) => here), unit: 'ms' },
    { what: 'read, server', value: median(({ server }) => server), unit: 'ms' },
  ]
}
