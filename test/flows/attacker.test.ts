// What the author of a row tries: user 7, who may write flows and little else, while user 1 saves articles. No try succeeds.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { defineFlow } from '../../src/flows.ts'
import {
  type Access,
  compareVersion,
  createItem,
  createVersion,
  deleteItem,
  type EngineError,
  getItem,
  promoteVersion,
  updateItem,
  upsertItem,
} from '../../src/index.ts'
import { databases } from '../support/databases.ts'
import {
  admin,
  attacker,
  type OpenedWorld,
  openWorld,
  type Planted,
  rewrite,
  spy,
  type World,
  wide,
} from './attacked-world.ts'

/** The code with which something is refused. */
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it worked',
    ({ code }: EngineError) => code,
  )

const called = { trigger: { on: 'flow' } } as const
const log = { type: 'log', options: { message: 'x' } }
const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
const refusing = (on: string, when: string): Planted => ({
  trigger: { on, collections: ['articles'], when },
  first: 'no',
  operations: { no: { type: 'throw-error', options: {} } },
})

describe.each(databases)('on $name', (database) => {
  /** Where the attacker sees some articles, and where they see all. */
  let some: OpenedWorld
  let all: OpenedWorld
  let own: OpenedWorld | undefined
  beforeAll(async () => {
    some = await openWorld(database)
    all = await openWorld(database, { rights: wide })
  })
  afterEach(async () => {
    await own?.close()
    own = undefined
    await some.restore()
    await all.restore()
  })
  afterAll(async () => {
    await some.close()
    await all.close()
  })
  const open = async (options: World) => {
    own = await openWorld(database, options)
    return own
  }
  const withRights = (articles: object, more: World = {}) =>
    open({ ...more, rights: { ...attacker, rules: { ...attacker.rules, articles } } as Access })
  const authorOf = async ({ engine }: OpenedWorld, key: number) =>
    (await getItem(engine, 'flows', key, { fields: ['saved_by'] }))?.saved_by
  const ofTheBoss = async ({ boss }: OpenedWorld) => {
    await createItem(boss, 'flows', { id: 60, name: 'of the boss', ...called } as never)
  }

  describe('the rights of another', () => {
    it('are not written by an upsert', async () => {
      const row = { id: 50, name: 'x', ...called, saved_by: 1 } as never
      expect(await refusal(upsertItem(some.mine, 'flows', row))).toBe('FORBIDDEN')
    })
    it('are not written beside another item', async () => {
      const writer = some.engine.as({
        ...attacker,
        rules: { ...attacker.rules, articles: { read: true, update: true } },
      })
      const create = [{ name: 'x', ...called, saved_by: 1 }]
      expect(await refusal(updateItem(writer, 'articles', 1, { flows: { create } } as never))).toBe(
        'FORBIDDEN',
      )
    })
    it('are not promoted from a version', async () => {
      const key = await some.plant(called)
      await createVersion(some.mine, 'flows', key, { key: 'draft', delta: { name: 'y', saved_by: 1 } })
      const { mainHash } = await compareVersion(some.mine, 'flows', key, 'draft')
      expect(await refusal(promoteVersion(some.mine, 'flows', key, 'draft', { mainHash }))).toBe('FORBIDDEN')
    })
    it('are not kept by changing it as nobody', async () => {
      await ofTheBoss(some)
      const before = await authorOf(some, 60)
      for (const nobody of [{ rules: attacker.rules } as Access, { ...attacker, user: null }])
        expect(await refusal(updateItem(some.engine.as(nobody), 'flows', 60, { name: 'y' }))).toBe(
          'FORBIDDEN',
        )
      expect(await authorOf(some, 60)).toBe(before)
    })
    it('are not had by null, by a list or by a text', async () => {
      for (const saved_by of [null, [7], '7'])
        expect(await authorOf(some, await some.plant({ ...called, saved_by }))).toBe(7)
      for (const saved_by of [[1], '1', { id: 1 }])
        expect(await refusal(some.plant({ ...called, saved_by }))).toBe('FORBIDDEN')
    })
    it('are not asked for by a word', async () => {
      for (const access of ['caller', 'full', 'editor', 'nobody']) {
        await some.plant({ ...called, name: access, access })
        await some.plant({
          ...called,
          name: `in ${access}`,
          first: 'a',
          operations: { a: { ...log, access } },
        })
        const inner = { list: [1], first: 'b', operations: { b: { ...log, access } } }
        await some.plant({
          ...called,
          name: `deep in ${access}`,
          first: 'a',
          operations: { a: { type: 'for-each', options: inner } },
        })
      }
      expect(Object.keys(some.problems())).toHaveLength(12)
    })
    it('are not those of the caller in a flow of the host', async () => {
      await all.plant({ ...spy('items.create', '{{ go }}'), ...starting('hosts-flow') })
      await createItem(all.boss, 'articles', { title: 'x' })
      expect(await all.leaked()).toEqual(['={"id":1,"name":"Ada"}'])
    })
    it('are not those of the caller under "nobody" either', async () => {
      const world = await open({ rights: wide, limits: { access: ['author', 'nobody'] } })
      await world.plant(starting('hosts-flow', 'nobody'))
      await createItem(world.boss, 'articles', { title: 'x' })
      expect(await world.leaked()).toEqual(['={"id":1,"name":"Ada"}'])
    })
    it('do not come with the name of a flow', async () => {
      await all.plant({ ...called, name: 'secret-flow' })
      await all.plant({ ...starting('secret-flow'), name: 'thief' })
      await createItem(all.boss, 'articles', { title: 'x' })
      expect(await all.leaked()).toEqual([])
      expect(all.problems()).toMatchObject({
        thief: ['There is no flow "secret-flow" that this one may start.'],
      })
    })
    const starting = (flow: string, access?: string): Planted => ({
      trigger: { on: 'items.create', collections: ['articles'], when: 'beforeCommit' },
      first: 'go',
      operations: {
        go: { type: 'trigger', options: { flow }, resolve: 'leak', ...(access !== undefined && { access }) },
        leak: { type: 'item-create', options: { collection: 'leaks', payload: { text: '={{ go }}' } } },
      },
    })
  })

  describe('what the author does not see', () => {
    it('is not in a payload: fields', async () => {
      await some.plant(spy(['items.create', 'items.update']))
      await createItem(some.boss, 'articles', { id: 20, title: 'Cake', body: 'secret' })
      await updateItem(some.boss, 'articles', 20, { body: 'secret', views: 4 })
      expect(await some.leaked()).toHaveLength(2)
      expect(String(await some.leaked())).not.toContain('secret')
    })
    it('is not in a payload: fields that only some rules show', async () => {
      const read = [{ fields: ['id', 'title'] }, { fields: ['body'], filter: { author: { _eq: 7 } } }]
      const world = await withRights({ read })
      await world.plant(spy('items.create'))
      await createItem(world.boss, 'articles', { title: 'Cake', body: 'secret' })
      expect(String(await world.leaked())).not.toContain('secret')
    })
    it('is not in a payload: items beside it', async () => {
      await all.plant(spy('items.create'))
      await createItem(all.boss, 'articles', {
        title: 'Cake',
        author: { name: 'Bob', salary: 5001 },
        comments: { create: [{ text: 'secret', secret: 'secret' }] },
      } as never)
      const [text] = await all.leaked()
      expect(text).toContain('"author":{"name":"Bob"}')
      expect(text).not.toMatch(/5001|secret|comments/)
    })
    it('is not in a payload: keys', async () => {
      const world = await withRights({ read: { fields: ['title'] } })
      await world.plant(spy(['items.update', 'items.delete']))
      await updateItem(world.boss, 'articles', 1, { title: 'Cake' })
      await deleteItem(world.boss, 'articles', 1)
      for (const text of await world.leaked()) expect(text).toContain('"key":null,"keys":[]')
    })
    it('is masked where it is a secret, also beside it', async () => {
      const world = await open({
        rights: { ...wide, rules: { ...wide.rules, users: { read: true } } } as Access,
      })
      await world.plant(spy('items.create'))
      await createItem(world.boss, 'articles', {
        title: 'Cake',
        token: 'secret',
        author: { name: 'Bob', password: 'secret' },
      } as never)
      const [text] = await world.leaked()
      expect(text).toContain('"token":"**********"')
      expect(text).not.toContain('secret')
    })
    it('is no secret of the host: a place', async () => {
      const world = await open({ secrets: { NAME: 'a-secret-of-the-host' } })
      for (const [name, text] of Object.entries({
        one: '{{ $env.NAME }}',
        all: '{{ $env }}',
        last: 'x{{ $env.NAME }}',
      }))
        await world.plant({ ...spy('items.create', text), name })
      await world.plant({ ...called, name: 'returned', trigger: { on: 'flow', returns: '$env' } })
      const filter = { $env: { NAME: { _starts_with: 'a' } } }
      await world.plant({
        ...called,
        name: 'asked',
        first: 'a',
        operations: { a: { type: 'condition', options: { filter } } },
      })
      expect(Object.keys(world.problems())).toEqual(['one', 'all', 'last', 'returned', 'asked'])
    })
    it('is no secret of the host: the whole chain', async () => {
      const world = await open({ rights: wide, secrets: { NAME: 'a-secret-of-the-host' } })
      await world.plant({ name: 'whole', trigger: { on: 'flow', returns: '$all' } })
      await world.plant({
        ...spy('items.create'),
        first: 'go',
        operations: {
          go: { type: 'trigger', options: { flow: 'whole' }, resolve: 'leak' },
          leak: { type: 'item-create', options: { collection: 'leaks', payload: { text: '={{ go }}' } } },
        },
      })
      await createItem(world.boss, 'articles', { title: 'x' })
      const [text] = await world.leaked()
      expect(text).toContain('$trigger')
      expect(text).not.toContain('secret')
    })
    it('is nothing that only the queries of the caller may use', async () => {
      const chief = all.engine.as({ ...admin, variables: { '$CURRENT_USER.salary': 9000 } })
      const filter = { $accountability: { user: { _neq: '$CURRENT_USER.salary' } } }
      const conditional = { type: 'condition', options: { filter }, resolve: 'known' }
      const known = { type: 'throw-error', options: { message: 'known' } }
      await all.plant({
        ...refusing('items.create', 'before'),
        first: 'c',
        operations: { c: { ...conditional, reject: 'fine' }, known, fine: log },
      })
      await createItem(chief, 'articles', { title: 'x' })
    })
    it('is not read by names that the caller brings', async () => {
      await all.plant({
        ...spy('items.create'),
        first: 'read',
        operations: {
          read: {
            type: 'item-read',
            options: {
              collection: '{{ $trigger.payload.title }}',
              query: { fields: '{{ $trigger.payload.meta }}' },
            },
            resolve: 'leak',
            reject: 'leak',
          },
          leak: { type: 'item-create', options: { collection: 'leaks', payload: { text: '={{ read }}' } } },
        },
      })
      await createItem(all.boss, 'articles', { title: 'users', meta: ['salary'] })
      await createItem(all.boss, 'articles', { title: 'users', meta: ['*'] })
      const [named, whole] = await all.leaked()
      expect(named).toContain('"FORBIDDEN"')
      expect(whole).toBe('=[{"id":1,"name":"Ada"},{"id":7,"name":"Eve"}]')
    })
    it('is told from what there is not by no error', async () => {
      const read = (key: number) => ({ type: 'item-read', options: { collection: 'articles', key } })
      await some.plant({
        ...spy('items.update'),
        first: 'hidden',
        operations: {
          hidden: { ...read(2), reject: 'none' },
          none: { ...read(2_000), reject: 'leak' },
          leak: {
            type: 'item-create',
            options: { collection: 'leaks', payload: { text: '{{ hidden }} {{ none }}' } },
          },
        },
      })
      await updateItem(some.boss, 'articles', 1, { views: 1 })
      const [text = ''] = await some.leaked()
      const [hidden, none] = String(text).split('} {')
      expect(`{${none}`).toBe(`${hidden}}`)
    })
    it('is not asked for by a condition', async () => {
      const filter = { $trigger: { payload: { body: { _nnull: true } } } }
      const operations = {
        c: { type: 'condition', options: { filter }, resolve: 'leak', reject: 'fine' },
        fine: log,
      }
      const { leak } = Object(spy('items.create').operations)
      await all.plant({ ...spy('items.create'), first: 'c', operations: { ...operations, leak } })
      await createItem(all.boss, 'articles', { title: 'x', body: 'secret' })
      expect(await all.leaked()).toEqual([])
    })
    it('is not asked for by a filter', async () => {
      const query = { filter: { body: { _starts_with: 'b' } } }
      await some.plant({
        ...spy('items.update'),
        first: 'read',
        operations: {
          read: { type: 'item-read', options: { collection: 'articles', query }, reject: 'leak' },
          leak: {
            type: 'item-create',
            options: { collection: 'leaks', payload: { text: '={{ read.code }}' } },
          },
        },
      })
      await updateItem(some.boss, 'articles', 1, { views: 1 })
      expect(await some.leaked()).toEqual(['=FORBIDDEN'])
    })
    it('is not heard of: an item', async () => {
      await some.plant(refusing('items.update', 'before'))
      await some.plant(refusing('items.update', 'beforeCommit'))
      await updateItem(some.boss, 'articles', 2, { views: 1 })
      expect(await refusal(updateItem(some.boss, 'articles', 1, { views: 1 }))).toBe('FAILED_VALIDATION')
    })
    it('is not heard of: what is not yet stored, or is no more', async () => {
      await some.plant(refusing('items.create', 'before'))
      await some.plant(refusing('items.delete', 'before'))
      await some.plant(refusing('items.delete', 'beforeCommit'))
      await createItem(some.boss, 'articles', { id: 20, title: 'Cake' })
      await deleteItem(some.boss, 'articles', 20)
    })
    it('is not heard of: reads', async () => {
      await some.plant({ ...rewrite('items.read', { limit: 1 }), name: 'reading' })
      expect(some.problems()).toHaveProperty('reading')
    })
    it('is not heard of under "nobody" either', async () => {
      const world = await open({ limits: { access: ['author', 'nobody'] } })
      await world.plant({ ...refusing('items.update', 'before'), access: 'nobody' })
      await world.plant({ ...spy('items.update', '{{ $trigger }}', { access: 'author' }), access: 'nobody' })
      await world.plant({ ...rewrite('items.read', { limit: 1 }), name: 'reading', access: 'nobody' })
      await updateItem(world.boss, 'articles', 2, { views: 1, body: 'secret' })
      expect(await world.leaked()).toEqual([])
      expect(world.problems()).toHaveProperty('reading')
    })
  })

  describe('what the author may not write', () => {
    const title = '{{ $trigger.payload.title }}'
    it('is not replaced: a field', async () => {
      await some.plant(rewrite('items.update', { title, views: 100 }))
      expect(await refusal(updateItem(some.boss, 'articles', 1, { title: 'x' }))).toBe('FORBIDDEN')
    })
    it('is not replaced: a row, or a value', async () => {
      await some.plant(rewrite('items.update', { title: 'mine' }))
      expect(await refusal(updateItem(some.boss, 'articles', 1, { title: 'x' }))).toBe('FORBIDDEN')
      const validation = { views: { _lt: 10 } }
      const world = await withRights({ read: true, update: { fields: ['views'], validation } })
      await world.plant(rewrite('items.update', { title, views: 9 }))
      expect(await refusal(updateItem(world.boss, 'articles', 1, { title: 'x' }))).toBe('FORBIDDEN')
    })
    it('is not replaced: items beside it, and steps', async () => {
      const world = await withRights({ read: true, update: true })
      for (const more of [
        { author: { name: 'x' } },
        { comments: { create: [{ text: 'x' }] } },
        { views: { _inc: 5 } },
      ]) {
        const key = await world.plant(rewrite('items.update', { title, ...more }))
        expect(await refusal(updateItem(world.boss, 'articles', 1, { title: 'x' }))).toBe('FORBIDDEN')
        await deleteItem(world.mine, 'flows', key as never)
      }
    })
    it('is not left out', async () => {
      await some.plant(rewrite('items.update', { title }))
      expect(await refusal(updateItem(some.boss, 'articles', 1, { title: 'x', views: 5 }))).toBe('FORBIDDEN')
    })
    it('is stored as it was sent, if it is hidden or masked', async () => {
      const world = await withRights({
        read: { fields: ['id', 'title', 'token'] },
        update: { fields: ['title', 'token'] },
      })
      await world.plant(rewrite('items.update', { title: 'mine', token: '{{ $trigger.payload.token }}' }))
      await updateItem(world.boss, 'articles', 1, { title: 'x', body: 'kept', token: 'kept' })
      const { rows } = await world.select('select title, body, token from articles where id = 1')
      expect(rows).toEqual([{ title: 'mine', body: 'kept', token: 'kept' }])
    })
    it('is not written by an operation', async () => {
      const write = (type: string, options: object) => ({
        type,
        options: { collection: 'articles', ...options },
      })
      for (const operation of [
        write('item-update', { key: 1, payload: { title: 'mine' } }),
        write('item-update', { query: { filter: { id: { _gt: 0 } } }, payload: { views: 1 } }),
        write('item-create', { payload: { title: 'mine' } }),
        write('item-delete', { key: 1 }),
      ]) {
        const key = await some.plant({ ...spy('items.update'), first: 'a', operations: { a: operation } })
        expect(['FORBIDDEN', 'NOT_FOUND']).toContain(
          await refusal(updateItem(some.boss, 'articles', 1, { views: 1 })),
        )
        await deleteItem(some.mine, 'flows', key as never)
      }
    })
  })

  describe('the flows of others run on', () => {
    const canary = async (world: OpenedWorld) => {
      await world.plant({ ...called, name: 'canary' })
      return world.flows.status().flows.find(({ name }) => name === 'canary')?.state
    }
    it('beside values that are no texts', async () => {
      const odd = { toString: 1, valueOf: 1 }
      await some.plant({ trigger: { on: [odd] } })
      await some.plant({ trigger: { on: odd, collections: odd } })
      await some.plant({ ...called, first: 'a', operations: { a: { type: odd } } })
      await some.plant({ ...called, first: 'a', operations: { a: { ...log, resolve: odd, access: odd } } })
      expect(await canary(some)).toBe('active')
      expect(Object.keys(some.problems())).toHaveLength(4)
    })
    it('beside values that are deep', async () => {
      const operation = (json: unknown) => ({ a: { type: 'transform', options: { json } } })
      await some.plant({ ...called, name: 'deep', first: 'a', operations: operation(nested(2_500)) })
      const filter = { $trigger: nested(2_000) }
      await some.plant({
        ...called,
        first: 'a',
        operations: { a: { type: 'condition', options: { filter } } },
      })
      expect(await canary(some)).toBe('active')
    })
    it('beside thousands of operations', async () => {
      const names = Array.from(
        { length: 6_000 },
        (_, at) => [`a${at}`, { ...log, resolve: `a${at + 1}` }] as const,
      )
      await some.plant({ ...called, name: 'long', first: 'a0', operations: Object.fromEntries(names) })
      expect(await canary(some)).toBe('active')
      expect(some.problems().long).toEqual(['A flow has 200 operations at most, and this one has 6000.'])
      // Each of them is looked at a few times, however many there are.
      let looks = 0
      const operations = new Proxy(Object.fromEntries(names), {
        get: (target, name) => {
          looks += 1
          return Reflect.get(target, name) as unknown
        },
      })
      const long = { ...called, name: 'long', first: 'a0', operations }
      expect(() => defineFlow(long as never)).toThrow(/200 operations/)
      expect(looks).toBeLessThanOrEqual(3 * names.length)
    })
    it('beside a row that is huge', async () => {
      await some.plant({
        ...called,
        name: 'huge',
        first: 'a',
        operations: { a: { type: 'transform', options: { json: 'x'.repeat(1_100_000) } } },
      })
      expect(await canary(some)).toBe('active')
      expect(some.problems().huge).toEqual([expect.stringContaining('1,048,576 bytes')])
    })
    it('beside names of the language', async () => {
      await some.plant({ ...called, name: '__proto__' })
      await some.plant({
        ...called,
        name: 'named',
        first: '__proto__',
        operations: JSON.parse('{"__proto__":{"type":"log"}}'),
      })
      await some.plant({ ...called, name: 'typed', first: 'a', operations: { a: { type: 'constructor' } } })
      expect(await canary(some)).toBe('active')
      expect(Object.keys(some.problems())).toEqual(['named', 'typed'])
    })
    it('beside what sleeps', async () => {
      const a = { type: 'sleep', options: { milliseconds: 900 } }
      await some.plant({
        ...refusing('items.update', 'before'),
        name: 'asleep',
        first: 'a',
        operations: { a },
      })
      await some.plant({ ...called, name: 'sub', first: 'a', operations: { a } })
      const go = { type: 'trigger', options: { flow: 'sub' } }
      await some.plant({
        ...refusing('items.update', 'before'),
        name: 'sleeper',
        first: 'go',
        operations: { go },
      })
      expect(Object.keys(some.problems())).toEqual(['asleep', 'sleeper'])
    })
    it('only once they are known', async () => {
      const world = await open({ isStarted: false })
      expect(await refusal(updateItem(world.boss, 'articles', 1, { views: 1 }))).toBe('SERVICE_UNAVAILABLE')
      await world.plant(refusing('items.update', 'before'))
      await Promise.all([world.flows.start(), world.flows.start()])
      expect(await refusal(updateItem(world.boss, 'articles', 1, { views: 1 }))).toBe('FAILED_VALIDATION')
      await world.flows.stop()
      await updateItem(world.boss, 'articles', 1, { views: 1 })
    })
    it('and nothing runs any more if they are stopped while they start', async () => {
      const reads: string[] = []
      const world = await open({
        isStarted: false,
        pollMs: 5,
        engineOptions: { onQuery: ({ sql }) => reads.push(sql) },
      })
      const starting = Promise.all([world.flows.start(), world.flows.start()])
      await Promise.all([starting, world.flows.stop()])
      reads.length = 0
      await new Promise((resolve) => setTimeout(resolve, 40))
      expect(reads).toEqual([])
    })
  })
})
