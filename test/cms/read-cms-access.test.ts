// Who has which policies, from where, and how soon a change counts.
import { describe, expect, it } from 'vitest'
import { ipAllowlistOf } from '../../src/cms/ip-allowlist.ts'
import { memoizeFor } from '../../src/cms/read-cms-access.ts'
import { createEngine, explainAccess } from '../../src/index.ts'
import { readCmsAccess, readCmsSchema } from '../../src/introspect.ts'
import { addPolicy, type Db, editor, editorsRole, openCms, permit, publicPolicy } from './cms-server.ts'
import { cmsDatabases } from './databases.ts'

const parent = '00000000-0000-4000-8000-00000000a009'

async function withParent(db: Db): Promise<void> {
  await db.insertInto('directus_roles').values({ id: parent, name: 'Staff' }).execute()
  await db.updateTable('directus_roles').set({ parent }).where('id', '=', editorsRole).execute()
}

describe.each(cmsDatabases)('on $name', (database) => {
  it('what a role may do, those below it may do, too', async () => {
    const world = await openCms(database, async (db) => {
      await withParent(db)
      const policy = await addPolicy(db, { role: parent })
      await permit(db, { policy, collection: 'pages', permissions: { owner: { _null: true } } })
    })
    const access = await world.access.authenticate('user-token')
    expect(access?.roles).toEqual([parent, editorsRole])
    expect((await world.ask('user-token', 'GET /items/pages?fields=id')).body).toEqual({ data: [{ id: 2 }] })
  })

  it('a role has what it may do without a user, and one that is unknown nothing', async () => {
    const world = await openCms(database, async (db) => {
      await permit(db, { collection: 'pages' })
      await permit(db, { policy: await addPolicy(db, { user: editor }), collection: 'tags' })
    })
    const access = await world.access.accessOfRole(editorsRole.toUpperCase())
    expect(access).toMatchObject({ role: editorsRole, roles: [editorsRole] })
    expect(access).not.toHaveProperty('user')
    expect(access.rules).toHaveProperty('pages')
    expect(access.rules).not.toHaveProperty('tags.create')
    expect(await world.access.accessOfRole('nobody')).toEqual({
      role: 'nobody',
      roles: [],
      policies: [],
      rules: {},
    })
  })

  it('an administrator by a role above is one', async () => {
    const world = await openCms(database, async (db) => {
      await withParent(db)
      await addPolicy(db, { role: parent }, { isAdmin: true })
    })
    expect(await world.access.authenticate('user-token')).toMatchObject({ admin: true })
  })

  it('everybody has what is attached to nobody, and those with a role have it not', async () => {
    const world = await openCms(database, (db) =>
      permit(db, { policy: publicPolicy, collection: 'pages', fields: 'id,title' }),
    )
    const expected = { data: [{ id: 1, title: 'Home' }] }
    expect((await world.ask(null, 'GET /items/pages?limit=1')).body).toEqual(expected)
    expect((await world.ask('user-token', 'GET /items/pages?limit=1')).status).toBe(404)
    await world.db.updateTable('directus_users').set({ role: null }).where('id', '=', editor).execute()
    expect((await world.ask('user-token', 'GET /items/pages?limit=1')).body).toEqual(expected)
    expect((await world.ask('user-token', 'GET /items/articles')).status).toBe(404)
  })

  it('variables stand for who asks', async () => {
    const world = await openCms(database, async (db) => {
      await permit(db, {
        collection: 'directus_users',
        fields: 'id,email',
        permissions: { id: { _eq: '$CURRENT_USER' } },
      })
      await permit(db, {
        collection: 'directus_roles',
        fields: 'id,name',
        permissions: { id: { _in: ['$CURRENT_ROLES'] } },
      })
      await permit(db, {
        collection: 'directus_policies',
        fields: 'id',
        permissions: { id: { _in: '$CURRENT_POLICIES' } },
      })
      await permit(db, {
        collection: 'pages',
        fields: 'id',
        permissions: { title: { _eq: '$CURRENT_ROLE.name' } },
      })
      await db.updateTable('pages').set({ title: 'Editors' }).where('id', '=', 2).execute()
    })
    const read = async (collection: string) =>
      (await world.ask('user-token', `GET /items/${collection}`)).body
    expect(await read('directus_users')).toEqual({ data: [{ id: editor, email: 'ed@example.com' }] })
    expect(await read('directus_roles')).toEqual({ data: [{ id: editorsRole, name: 'Editors' }] })
    expect(await read('directus_policies')).toMatchObject({ data: [{}] })
    expect(await read('pages')).toEqual({ data: [{ id: 2 }] })
  })

  it('a policy of some networks counts from there alone', async () => {
    const options = {
      maxAgeMs: 0,
      addressOf: (request: Request) => request.headers.get('x-address'),
    }
    const world = await openCms(
      database,
      async (db) => {
        const policy = await addPolicy(db, { user: editor }, { networks: '10.0.0.0/8, 192.168.1.7' })
        await permit(db, { policy, collection: 'pages' })
      },
      options,
    )
    const from = (address: string) =>
      world.access.accessOf(editor, new Request('http://localhost', { headers: { 'x-address': address } }))
    expect((await from('10.1.2.3'))?.rules).toHaveProperty('pages')
    expect((await from('::ffff:10.1.2.3'))?.rules).toHaveProperty('pages')
    for (const address of ['11.0.0.1', '192.168.1.8', 'nowhere', ''])
      expect((await from(address))?.rules).not.toHaveProperty('pages')
    expect((await world.access.accessOf(editor))?.rules).not.toHaveProperty('pages')
  })

  it('a policy of some networks grants nothing where addresses are not known, and is told of', async () => {
    const world = await openCms(database, async (db) => {
      await addPolicy(db, { user: editor }, { networks: '10.0.0.0/8', isAdmin: true })
    })
    expect(await world.access.authenticate('user-token')).not.toHaveProperty('admin')
    expect(world.access.report()).toMatchObject([
      { message: 'It counts from some networks only, so it grants nothing without "addressOf".' },
    ])
  })

  it('networks that cannot be read hold no address', async () => {
    const world = await openCms(
      database,
      async (db) => void (await addPolicy(db, { user: editor }, { networks: ' , x', isAdmin: true })),
      { maxAgeMs: 0, addressOf: () => '10.0.0.1' },
    )
    expect(await world.access.accessOf(editor, new Request('http://localhost'))).not.toHaveProperty('admin')
    expect(world.access.report()).toHaveLength(1)
  })

  it('a text that looks like a variable and is none allows nothing, is told of, and is explained', async () => {
    const world = await openCms(database, async (db) => {
      const policy = await addPolicy(db, { role: editorsRole })
      const own = { policy, collection: 'tags' }
      await permit(db, { ...own, action: 'update', permissions: { name: { _neq: '$CURENT_USER' } } })
      await permit(db, { ...own, action: 'create', presets: { name: '{{ name }}' } })
      await permit(db, { ...own, action: 'delete', permissions: { name: { _neq: '$TEXT(a)' } } })
    })
    const access = await world.access.authenticate('user-token')
    const engine = createEngine({ db: world.db, schema: await readCmsSchema(world.db) }).as(access ?? {})
    for (const [action, says] of [
      ['update', '"$CURENT_USER"'],
      ['create', '"{{ name }}"'],
      ['delete', '"$TEXT(…)"'],
    ] as const) {
      const refused = [expect.stringContaining('It allows nothing.'), expect.stringContaining(says)]
      expect(world.access.report().map(({ message }) => message)).toContainEqual(refused[1])
      const { refused: why = [] } = explainAccess(engine, 'tags', action)
      for (const part of refused) expect(why).toContainEqual(part)
    }
  })

  it('the same policies have the same rules, which an engine reads once', async () => {
    const world = await openCms(database)
    const [one, other] = [await world.access.authenticate('user-token'), await world.access.accessOf(editor)]
    expect(other?.rules).toBe(one?.rules)
    await world.db.insertInto('tags').values({ name: 'other' }).execute()
    expect((await world.access.authenticate('user-token'))?.rules).toBe(one?.rules)
    await permit(world.db, { collection: 'pages' })
    const changed = await world.access.authenticate('user-token')
    expect(changed?.rules).not.toBe(one?.rules)
    expect(changed?.rules).toHaveProperty('pages')
  })

  it('a change counts at once where nothing may be older than the request', async () => {
    const world = await openCms(database)
    await world.db.updateTable('directus_users').set({ token: 'new' }).where('id', '=', editor).execute()
    expect(await world.access.authenticate('user-token')).toBeNull()
    expect(await world.access.authenticate('new')).toMatchObject({ user: editor })
    await world.db
      .updateTable('directus_users')
      .set({ status: 'suspended' })
      .where('id', '=', editor)
      .execute()
    expect(await world.access.authenticate('new')).toBeNull()
    expect(await world.access.accessOf(editor)).toBeNull()
  })

  it('until it counts, what was read is as old as the host allows', async () => {
    const world = await openCms(database, async () => {}, { maxAgeMs: 3_600_000 })
    await world.db.updateTable('directus_users').set({ token: 'new' }).where('id', '=', editor).execute()
    expect(await world.access.authenticate('user-token')).toMatchObject({ user: editor })
    expect(await world.access.authenticate('new')).toBeNull()
  })

  it('a database that cannot be asked lets nobody in', async () => {
    const world = await openCms(database)
    await world.db.schema.alterTable('directus_permissions').renameTo('elsewhere').execute()
    await expect(world.access.authenticate('admin-token')).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
    expect((await world.ask('admin-token', 'GET /items/tags')).status).toBe(500)
  })

  it('without a schema it is read, too', async () => {
    const { db } = await database.open()
    const schema = await readCmsSchema(db)
    const { authenticate } = await readCmsAccess(db)
    const access = await authenticate('user-token')
    expect(access).not.toBeNull()
    expect(
      createEngine({ db, schema })
        .as(access ?? {})
        .schema.collections.has('articles'),
    ).toBe(true)
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('%d is no age', async (maxAgeMs) => {
    const { db } = await database.open()
    await expect(readCmsAccess(db, { maxAgeMs })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      path: ['maxAgeMs'],
    })
  })
})

describe('networks', () => {
  it.each<readonly [text: string, inside: readonly string[], outside: readonly string[]]>([
    ['10.0.0.7', ['10.0.0.7', '::ffff:10.0.0.7'], ['10.0.0.8', '::1']],
    ['10.0.0.0/8', ['10.255.0.1'], ['11.0.0.1']],
    ['10.0.0.1-10.0.0.3', ['10.0.0.2'], ['10.0.0.4']],
    ['fe80::/10', ['fe80::1'], ['::1', '10.0.0.1']],
  ])('%s', (text, inside, outside) => {
    const holds = ipAllowlistOf([text])
    expect(inside.map((address) => holds?.(address))).toEqual(inside.map(() => true))
    expect(outside.map((address) => holds?.(address))).toEqual(outside.map(() => false))
  })

  it.each([
    '',
    'x',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/x',
    '10.0.0.3-10.0.0.1',
    '10.0.0.1-::1',
    '10.0.0.0/8-10.0.0.1',
  ])('%j is none', (text) => expect(ipAllowlistOf([text])).toBeUndefined())
})

describe('what was read lately', () => {
  it('is shared by all who ask at once', async () => {
    let reads = 0
    const read = memoizeFor(3_600_000, async () => ++reads)
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1])
    expect(await read()).toBe(1)
  })

  it('is read again by the next after it has failed', async () => {
    let reads = 0
    const read = memoizeFor(3_600_000, async () => {
      if (++reads === 1) throw new RangeError('no')
      return reads
    })
    await expect(Promise.all([read(), read()])).rejects.toThrow('no')
    expect(await read()).toBe(2)
  })
})
