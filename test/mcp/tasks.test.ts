// Ten tasks on a database that its caller has not seen, by words of everyday life: what things are called comes from `describe` and from hints.
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/index.ts'
import { introspectSchema } from '../../src/introspect.ts'
import { createMcpServer } from '../../src/mcp.ts'
import { chinook } from '../introspect/samples/chinook.ts'
import { build } from '../introspect/samples/sample.ts'
import { databases } from '../support/databases.ts'
import { openAgent } from './agent.ts'

type Call = (name: string, input: object) => Promise<string>

/** What an agent does with tools, without knowing the schema. */
class Agent {
  readonly call: Call

  constructor(call: Call) {
    this.call = call
  }

  /** Calls again for as long as the error has a hint: the word in quotes takes the place of the wrong one. */
  async mended(name: string, input: object): Promise<{ readonly data: never; readonly rest: string }> {
    let text = await this.call(name, input)
    let known = JSON.stringify(input)
    for (let tries = 0; tries < 5 && text.startsWith('{"errors"'); tries++) {
      const hint = /Did you mean \\"([^"\\]+)\\"|Here that is \\"([^"\\]+)\\"/.exec(text)
      const better = hint?.[1] ?? hint?.[2]
      const wrong = [...text.matchAll(/\\"([^"\\]+)\\"/g)].map((found) => found[1] ?? '')
      const word = wrong.find((one) => one !== better && known.includes(`"${one}"`))
      if (better === undefined || word === undefined) break
      known = known.replaceAll(`"${word}"`, `"${better}"`)
      text = await this.call(name, JSON.parse(known))
    }
    const [json = '', ...rest] = text.split('\n')
    expect(JSON.parse(json), json).toHaveProperty('data')
    return { data: JSON.parse(json).data as never, rest: rest.join('\n') }
  }

  /** The collection that a word names best, and its fields with their types. */
  async find(word: string) {
    const lines = (await this.call('describe', { search: word })).split('\n')
    const names = lines.map((line) => line.split('[')[0] ?? '')
    const name = names.find((one) => one.toLowerCase() === word) ?? names[0] ?? ''
    const line = (await this.call('describe', { names: [name] })).split('\n')[1] ?? ''
    const fields = line
      .slice(line.indexOf(': ') + 2)
      .split(', ')
      .map((field) => field.split(' ') as [string, string])
    const field = (part: string, type = '') =>
      fields
        .find(([one, of]) => one.toLowerCase().includes(part) && of.startsWith(type))?.[0]
        .replace('?', '') ?? ''
    return { name, field, key: /\] (\S+):/.exec(line)?.[1] ?? '' }
  }
}

describe.each(databases)('on $name', ({ name, open }) => {
  let agent: Agent
  beforeEach(async () => {
    const opened = await open()
    await build(chinook, name, opened.db)
    const engine = createEngine({ db: opened.db, schema: await introspectSchema(opened.db) })
    const options = { write: true, limits: { items: 2 } }
    const { call } = await openAgent(createMcpServer(engine.as({ admin: true }), options))
    agent = new Agent(call)
  })

  it('counts customers', async () => {
    const { name: collection } = await agent.find('customer')
    expect((await agent.mended('aggregate', { collection, aggregate: { count: '*' } })).data).toEqual([
      { count: 2 },
    ])
  })

  it('finds the longest track', async () => {
    const track = await agent.find('track')
    const [title, length] = [track.field('name'), track.field('milli')]
    const input = { collection: track.name, fields: [title], sort: [`-${length}`], limit: 1 }
    expect((await agent.mended('list', input)).data).toEqual([{ Name: 'Polar Night' }])
  })

  it('lists the albums of an artist whose name it knows', async () => {
    const album = await agent.find('album')
    const artist = await agent.find('artist')
    const path = [album.field('artist', '>'), artist.field('name')] as const
    const input = {
      collection: album.name,
      fields: [album.field('title')],
      filter: { [path[0]]: { [path[1]]: { _eq: 'Aurora Vale' } } },
    }
    expect((await agent.mended('list', input)).data).toEqual([{ Title: 'Northlight' }])
  })

  it('goes through all tracks page by page', async () => {
    const { name: collection, field } = await agent.find('track')
    const seen: unknown[] = []
    let after: string | undefined
    do {
      const page = await agent.mended('list', {
        collection,
        fields: [field('name')],
        ...(after !== undefined && { after }),
      })
      seen.push(...(page.data as readonly unknown[]))
      after = /"after": "(.*)"\.$/.exec(page.rest)?.[1]
    } while (after !== undefined)
    expect(seen).toHaveLength(4)
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(4)
  })

  it('adds up what each customer has paid', async () => {
    const invoice = await agent.find('invoice')
    const [customer, total] = [invoice.field('customer', '>'), invoice.field('total')]
    const input = { collection: invoice.name, aggregate: { sum: [total] }, groupBy: [customer] }
    expect((await agent.mended('aggregate', input)).data).toMatchObject([
      { CustomerId: 1, sum: { Total: '2.97' } },
      { CustomerId: 2, sum: { Total: '0.99' } },
    ])
  })

  it('mends what it misspells', async () => {
    const input = { collection: 'Trak', fields: ['Nam'], filter: { Composr: { _contain: 'Vale' } } }
    expect((await agent.mended('list', input)).data).toEqual([{ Name: 'Harbour' }])
  })

  it('creates an artist with two albums', async () => {
    const [artist, album] = [await agent.find('artist'), await agent.find('album')]
    const albums = artist.field('album', '<')
    const data = {
      [artist.key]: 9,
      [artist.field('name')]: 'The Quiet Mile',
      [albums]: {
        create: [
          { [album.key]: 10, [album.field('title')]: 'One' },
          { [album.key]: 11, [album.field('title')]: 'Two' },
        ],
      },
    }
    const input = { collection: artist.name, data }
    const { confirm } = (await agent.mended('write', input)).data
    expect((await agent.mended('write', { ...input, confirm })).data).toMatchObject({ created: 1 })
    const read = { collection: artist.name, key: 9, fields: [`${albums}.${album.field('title')}`] }
    expect((await agent.mended('get', read)).data).toEqual({ Album: [{ Title: 'One' }, { Title: 'Two' }] })
  })

  it('corrects a name, once it has seen what would change', async () => {
    const artist = await agent.find('artist')
    const field = artist.field('name')
    const input = {
      collection: artist.name,
      filter: { [field]: { _null: true } },
      data: { [field]: 'Unknown' },
    }
    const { confirm, count, now } = (await agent.mended('write', input)).data
    expect({ count, now }).toEqual({ count: 1, now: [{ ArtistId: 3, Name: null }] })
    expect((await agent.mended('write', { ...input, confirm })).data).toEqual({ updated: 1 })
  })

  it('deletes lists without tracks', async () => {
    const list = await agent.find('playlist')
    const tracks = list.field('track', '<')
    const input = { collection: list.name, filter: { [tracks]: { _null: true } } }
    const { confirm, keys } = (await agent.mended('delete', input)).data
    expect(keys).toEqual([2])
    expect((await agent.mended('delete', { ...input, confirm })).data).toEqual({ deleted: 1 })
  })

  it('learns why a row cannot be deleted', async () => {
    const artist = await agent.find('artist')
    const input = { collection: artist.name, keys: [1] }
    const { confirm } = (await agent.mended('delete', input)).data
    expect(await agent.call('delete', { ...input, confirm })).toContain('INVALID_FOREIGN_KEY')
  })
})
