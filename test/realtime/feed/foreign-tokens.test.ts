// Tokens that belong to others, or to nobody: whoever comes with one begins anew, and learns nothing by it.
import { describe, expect, it } from 'vitest'
import { type Access, createItem, updateItem } from '../../../src/index.ts'
import { createFeed, type Feed, type FeedMessage, localSource, watchItems } from '../../../src/realtime.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { admin, next, openTasks, type schema } from '../tasks.ts'

type Rights = Access<typeof schema>
const of = (owner: number, more: Partial<Rights> = {}): Rights => ({
  rules: { tasks: { read: { filter: { owner } } } },
  ...more,
})
const ofCaller = (user: number): Rights => ({
  user,
  rules: { tasks: { read: { filter: { owner: '$CURRENT_USER' } } } },
})
const hidden = (owner: number): Rights => ({
  rules: { tasks: { read: { fields: ['title'], filter: { owner } } } },
})
const memberships = ['page', 'match'] as const

const tokenOf = (message: FeedMessage | undefined): string =>
  message && message.kind !== 'reset' ? message.token : ''

/** Watches until there is a token. */
async function tokenFor(
  feed: Feed<typeof schema>,
  access: Rights,
  query: object = {},
  membership: (typeof memberships)[number] = 'page',
): Promise<string> {
  const watched = watchItems(feed.as(access), 'tasks', query, { membership })
  const token = tokenOf(await next(watched))
  await watched.return()
  return token
}

describe.each(memberships)('membership %s, a token', (membership) => {
  const beginsAnew = async (feed: Feed<typeof schema>, token: string, access: Rights, titles: string[]) => {
    const watched = watchItems(feed.as(access), 'tasks', { fields: ['title'] }, { membership, token })
    expect(await next(watched), token.slice(0, 60)).toEqual({ kind: 'reset', reason: 'token' })
    const snapshot = await next(watched)
    expect(snapshot).toMatchObject({ kind: 'snapshot', items: titles.map((title) => ({ title })) })
    expect(tokenOf(snapshot)).not.toBe(token)
    await watched.return()
  }

  it('of another caller, query, membership or collection begins anew', async () => {
    const { engine, feed } = await openTasks()
    const query = { fields: ['title'] } as const
    const people = watchItems(feed.as(admin), 'people', {}, { membership })
    const tokens = [
      await tokenFor(feed, of(1), query, membership),
      await tokenFor(feed, ofCaller(1), query, membership),
      await tokenFor(feed, ofCaller(2), query, membership),
      await tokenFor(feed, hidden(2), query, membership),
      await tokenFor(feed, admin, query, membership),
      await tokenFor(feed, of(2), { fields: ['title', 'id'] }, membership),
      await tokenFor(feed, of(2), { ...query, filter: { id: { _gt: 0 } } }, membership),
      await tokenFor(feed, of(2), query, membership === 'page' ? 'match' : 'page'),
      tokenOf(await next(people)),
    ]
    expect(new Set(tokens).size).toBe(tokens.length)
    // What the others are told next is told to nobody else.
    await createItem(engine, 'tasks', { title: 'of one', owner: 1 })
    for (const token of tokens) await beginsAnew(feed, token, of(2), ['Hide'])
  })

  it('of another process or feed begins anew, the same list though it is', async () => {
    const { engine, feed } = await openTasks()
    const other = createFeed(engine, { source: localSource() })
    const token = await tokenFor(other, of(2), { fields: ['title'] }, membership)
    await beginsAnew(feed, token, of(2), ['Hide'])
    await other.stop()
    await beginsAnew(feed, token, of(2), ['Hide'])
  })

  it('that was cut, changed, or is of any length begins anew', async () => {
    const { engine, feed } = await openTasks()
    const random = new Random(fuzzSeed)
    const query = { fields: ['title'] } as const
    const own = watchItems(feed.as(of(2)), 'tasks', query, { membership })
    const token = tokenOf(await next(own))
    await updateItem(engine, 'tasks', 3, { title: 'Seek' })
    const [group = '', version = '', seed = ''] = token.split('.')
    const wrong = [
      ...Array.from({ length: token.length - 1 }, (_, length) => token.slice(0, length)),
      ...[token.slice(1), `${token} `, ` ${token}`, `${token}\n`, `${token}\0`, token.toUpperCase()],
      ...[`${token}.${token}`, `${group}.${version}`, `${group}..${seed}`, `.${version}.`, '..', '\0'],
      ...['-1', '1.5', '1e3', '0x1', 'NaN', '00', '0', '3', '999999999999999', '9'.repeat(400), '१'].map(
        (number) => `${group}.${number}.${seed}`,
      ),
      ...['__proto__', 'constructor', '$NOW', "' or 1=1 --", 'a'.repeat(12), '𝒢'.repeat(6)].map(
        (name) => `${name}.${version}.${seed}`,
      ),
      ...['a'.repeat(11), 'a'.repeat(13), '', '../../../../', '"'.repeat(12)].map(
        (name) => `${group}.${version}.${name}`,
      ),
      ...['x'.repeat(1e7), `${group}.${version}.${seed}`.repeat(1e5)],
      ...Array.from({ length: 50 }, () => {
        const at = random.below(group.length)
        return `${token.slice(0, at)}${token[at] === 'x' ? 'y' : 'x'}${token.slice(at + 1)}`
      }),
    ]
    for (const one of wrong) await beginsAnew(feed, one, of(2), ['Seek'])
    // The one who may come back with it is not disturbed.
    expect(await next(own)).toMatchObject({ kind: 'changes', set: [{ id: '3', item: { title: 'Seek' } }] })
    expect(feed.status()).toMatchObject({ subscriptions: 1, lists: 1 })
  })

  it('whose ids mean nothing says nothing of keys, and nobody writes its last part', async () => {
    const { engine, feed } = await openTasks()
    await createItem(engine, 'tasks', { title: 'Seek', owner: 2 })
    const query = { fields: ['title'] } as const
    const first = watchItems(feed.as(hidden(2)), 'tasks', query, { membership })
    const snapshot = await next(first)
    if (snapshot?.kind !== 'snapshot') throw new Error('no snapshot')
    const [group, version, last = ''] = snapshot.token.split('.')
    const toldFor = async (token: string) => {
      const watched = watchItems(feed.as(hidden(2)), 'tasks', query, { membership, token })
      const [message] = await Promise.all([
        next(watched),
        updateItem(engine, 'tasks', 3, { title: `told ${performance.now()}` }),
      ])
      await watched.return()
      return message
    }
    const own = await toldFor(snapshot.token)
    expect(own).toMatchObject({ kind: 'changes', set: [{ id: snapshot.ids?.[0] }] })
    expect(JSON.stringify(own)).not.toMatch(/"3"/)
    for (const guessed of [
      'A'.repeat(12),
      'A'.repeat(12) + last.slice(12),
      last.slice(0, 12) + 'A'.repeat(22),
    ])
      expect(await toldFor(`${group}.${version}.${guessed}`)).toEqual({ kind: 'reset', reason: 'token' })
  })
})

it.each([undefined, null, 7, {}, [], true, new String('x'), Symbol('x')])(
  'a token is a text, and not %s',
  async (token) => {
    const { feed } = await openTasks()
    const watch = () => watchItems(feed.as(admin), 'tasks', {}, { token: token as never })
    if (token === undefined) expect(await next(watch())).toMatchObject({ kind: 'snapshot' })
    else expect(watch).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
  },
)
