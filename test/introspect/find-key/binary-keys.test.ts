// Tables whose keys are bytes: their fields, and what refers to them.
import { describe, expect, it } from 'vitest'
import { createEngine, createItem, getItem, listItems } from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import { databases } from '../../support/databases.ts'
import { one } from '../../support/fields.ts'
import { run } from '../samples/sample.ts'

describe.each(databases)('bytes as keys on $name', ({ name, open }) => {
  const bytes = { sqlite: 'binary(20)', postgres: 'bytea' }[name]

  it('are hexadecimal digits, and so is what refers to them; other bytes are base64', async () => {
    const { db } = await open()
    await run(
      db,
      `create table hosts (id ${bytes} primary key, environment ${bytes} not null, digest ${bytes} not null unique)`,
      `create table states (host ${bytes} primary key references hosts, payload ${bytes})`,
      `create table links (host ${bytes} not null references hosts, other ${bytes} not null, primary key (host, other))`,
      `create table notes (id integer primary key, host ${bytes}, other ${bytes}, foreign key (host, other) references links (host, other))`,
      `create table tails (id integer primary key, digest ${bytes} references hosts (digest))`,
    )
    const schema = await introspectSchema(db)
    const { hosts, states, links, notes, tails } = schema.definition
    const hex = { type: 'binary', encoding: 'hex' }
    expect(hosts?.fields).toMatchObject({
      id: { ...hex, key: true },
      environment: { type: 'binary' },
      digest: { type: 'binary', unique: true },
    })
    expect(hosts?.fields.environment).not.toHaveProperty('encoding')
    expect(states?.fields).toMatchObject({
      host: { type: 'm2o', to: 'hosts', key: true },
      payload: { type: 'binary' },
    })
    expect(links).toMatchObject({ key: ['host', 'other'], fields: { host: one('hosts'), other: hex } })
    expect(notes?.fields).toMatchObject({ host: hex, other: hex })
    expect(tails?.fields.digest).toMatchObject({ type: 'm2o', to: 'hosts', references: 'digest' })

    const engine = createEngine({ db, schema })
    await createItem(engine, 'hosts', { id: 'AA01', environment: 'AQ==', digest: 'Ag==' })
    await createItem(engine, 'states', { host: 'aa01', payload: 'Aw==' })
    await createItem(engine, 'links', { host: 'aa01', other: 'BB' })
    await createItem(engine, 'notes', { id: 1, host: 'aa01', other: 'bb' })
    expect(await getItem(engine, 'states', 'Aa01', { fields: ['host.id', 'payload'] })).toEqual({
      host: { id: 'aa01' },
      payload: 'Aw==',
    })
    expect(await getItem(engine, 'links', ['AA01', 'bb'])).toEqual({ host: 'aa01', other: 'bb' })
    const filter = { links: { _in: [['AA01', 'BB']] } }
    expect(await listItems(engine, 'notes', { fields: ['id', 'links.host.digest'], filter })).toEqual({
      data: [{ id: 1, links: { host: { digest: 'Ag==' } } }],
    })
  })
})
