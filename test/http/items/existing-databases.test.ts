// Well-known databases over HTTP, as they are found: lists, links, lines of an order, and what has no key.
import { beforeEach, describe, expect, it } from 'vitest'
import { createHandler, describeApi, type Handler } from '../../../src/http.ts'
import { createEngine, type Engine } from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import { chinook } from '../../introspect/samples/chinook.ts'
import { northwind } from '../../introspect/samples/northwind.ts'
import { build, type Sample } from '../../introspect/samples/sample.ts'
import { tenants } from '../../introspect/samples/tenants.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../../support/databases.ts'
import { requestOf } from '../../support/request-of.ts'

let opened: OpenDatabase
let engine: Engine
let handler: Handler

async function serve(sample: Sample, { name, open }: TestDatabase) {
  opened = await open()
  await build(sample, name, opened.db)
  engine = createEngine({ db: opened.db, schema: await introspectSchema(opened.db) })
  handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
}

async function ask(method: string, path: string, body?: unknown) {
  const response = await handler(requestOf(method, `/items/${path}`, body))
  const text = await response.text()
  return { status: response.status, ...(text === '' ? {} : JSON.parse(text)) }
}

const rowsOf = async (table: string) => opened.db.selectFrom(table).selectAll().execute()

describe.each(databases)('Chinook on $name', (database) => {
  beforeEach(() => serve(chinook, database))

  const playlist = 'Playlist/1?fields=Name,Track.TrackId.Name'
  const names = async () => {
    const { data } = await ask('GET', playlist)
    return data.Track.map((one: { TrackId: { Name: string } }) => one.TrackId.Name).sort()
  }

  it('lists the tracks of playlists, and the playlists of tracks', async () => {
    expect(await names()).toEqual(['Polar Night', 'Undertow'])
    expect(await ask('GET', 'Track?fields=Name&filter[Playlist][PlaylistId][Name]=Quiet&sort=Name')).toEqual({
      status: 200,
      data: [{ Name: 'Polar Night' }, { Name: 'Undertow' }],
    })
    expect(await ask('GET', 'PlaylistTrack/1,2?fields=*.Name')).toEqual({
      status: 200,
      data: { PlaylistId: { Name: 'Quiet' }, TrackId: { Name: 'Undertow' } },
    })
    expect(await ask('GET', 'PlaylistTrack/1,1')).toMatchObject({ status: 404 })
  })

  it('links tracks to a playlist, unlinks them, and replaces all of them', async () => {
    expect(await ask('PATCH', 'Playlist/1', { Track: { create: [{ TrackId: 1 }] } })).toMatchObject({
      status: 200,
    })
    expect(await names()).toEqual(['Harbour', 'Polar Night', 'Undertow'])
    expect(await ask('PATCH', 'Playlist/1', { Track: { delete: [[1, 2]] } })).toMatchObject({ status: 200 })
    expect(await names()).toEqual(['Harbour', 'Polar Night'])
    expect(await ask('PATCH', 'Playlist/1', { Track: [[1, 3], { TrackId: 4 }] })).toMatchObject({
      status: 200,
    })
    expect(await names()).toEqual(['Polar Night', 'Untitled'])
    expect(await ask('PATCH', 'Playlist/1', { Track: [] })).toMatchObject({ status: 200 })
    expect(await names()).toEqual([])
    expect(await rowsOf('Track')).toHaveLength(4)
  })

  it('creates a playlist with a track that is new', async () => {
    const track = { TrackId: 9, Name: 'Ebb', MediaTypeId: 1, Milliseconds: 1000, UnitPrice: '0.99' }
    expect(
      await ask('POST', 'Playlist?fields=Name,Track.*', {
        PlaylistId: 3,
        Name: 'New',
        Track: [{ TrackId: track }],
      }),
    ).toEqual({ status: 200, data: { Name: 'New', Track: [{ PlaylistId: 3, TrackId: 9 }] } })
  })

  it('makes and deletes exactly one row between two', async () => {
    const before = await rowsOf('PlaylistTrack')
    expect(await ask('POST', 'PlaylistTrack', { PlaylistId: 2, TrackId: 3 })).toEqual({
      status: 200,
      data: { PlaylistId: 2, TrackId: 3 },
    })
    expect(await ask('POST', 'PlaylistTrack', { PlaylistId: 2, TrackId: 3 })).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'RECORD_NOT_UNIQUE' } }],
    })
    expect(await ask('DELETE', 'PlaylistTrack/2,3')).toEqual({ status: 204 })
    expect(await ask('DELETE', 'PlaylistTrack/2,3')).toMatchObject({ status: 404 })
    expect(await rowsOf('PlaylistTrack')).toEqual(before)
  })
})

describe.each(databases)('Northwind on $name', (database) => {
  beforeEach(() => serve(northwind, database))

  const lines = 'Order%20Details'
  const details = async () => {
    const { data } = await ask('GET', `${lines}?fields=OrderID,ProductID,Quantity`)
    return data.map(Object.values)
  }

  it('lists the lines of an order, and its products', async () => {
    expect(
      await ask(
        'GET',
        'Orders/10248?fields=CustomerID.CompanyName,Order Details.Quantity,Order Details.ProductID.ProductName',
      ),
    ).toEqual({
      status: 200,
      data: {
        CustomerID: { CompanyName: 'Alfreds Kiosk' },
        'Order Details': [
          { Quantity: 12, ProductID: { ProductName: 'Chai' } },
          { Quantity: 10, ProductID: { ProductName: 'Dried Pears' } },
        ],
      },
    })
    expect(
      await ask('GET', 'Orders?fields=OrderID&filter[Products][ProductID][ProductName]=Old Ale'),
    ).toEqual({ status: 200, data: [{ OrderID: 10249 }] })
    expect(await ask('GET', 'Order%20Subtotals?sort=OrderID&fields=OrderID')).toEqual({
      status: 200,
      data: [{ OrderID: 10248 }, { OrderID: 10249 }],
    })
  })

  it('edits one line of an order, by its address and from the order', async () => {
    expect(await ask('PATCH', `${lines}/10248,1?fields=Quantity`, { Quantity: 13 })).toEqual({
      status: 200,
      data: { Quantity: 13 },
    })
    expect(
      await ask('PATCH', 'Orders/10248?fields=Order Details.Quantity', {
        'Order Details': {
          update: [{ OrderID: 10248, ProductID: 3, Quantity: 11 }],
          create: [{ ProductID: 2 }],
        },
      }),
    ).toEqual({
      status: 200,
      data: { 'Order Details': [{ Quantity: 13 }, { Quantity: 1 }, { Quantity: 11 }] },
    })
    expect(await details()).toEqual([
      [10248, 1, 13],
      [10248, 2, 1],
      [10248, 3, 11],
      [10249, 2, 9],
    ])
  })

  it('deletes exactly one line, and several by a list of keys', async () => {
    expect(await ask('DELETE', `${lines}/10248,3`)).toEqual({ status: 204 })
    expect(await details()).toEqual([
      [10248, 1, 12],
      [10249, 2, 9],
    ])
    expect(await ask('DELETE', lines, [10248, 1])).toMatchObject({ status: 400 })
    expect(await ask('DELETE', lines, [[10248, 3]])).toMatchObject({ status: 404 })
    expect(await ask('DELETE', lines, [[10248, 1]])).toEqual({ status: 204 })
    expect(await details()).toEqual([[10249, 2, 9]])
  })

  it('moves territories between employees, whose keys are texts', async () => {
    expect(
      await ask('PATCH', 'Employees/1', {
        Territories: { delete: [[1, '01581']], create: [{ TerritoryID: '01730' }] },
      }),
    ).toMatchObject({ status: 200 })
    expect(await ask('GET', 'EmployeeTerritories?sort=EmployeeID,TerritoryID')).toEqual({
      status: 200,
      data: [
        { EmployeeID: 1, TerritoryID: '01730' },
        { EmployeeID: 2, TerritoryID: '01581' },
        { EmployeeID: 2, TerritoryID: '01730' },
      ],
    })
    expect(await ask('GET', 'EmployeeTerritories/2,01581')).toMatchObject({ status: 200 })
  })

  it('is described as a whole', () => {
    const { paths } = describeApi(engine, { title: 'Northwind', version: '1' })
    expect(Object.keys(paths ?? {})).toContain('/items/Order%20Details/{key}')
  })
})

describe.each(databases)('tables of many tenants on $name', (database) => {
  beforeEach(() => serve(tenants, database))

  it('are reached by addresses of all parts, and lead by them', async () => {
    expect(await ask('GET', 'tasks/1,2?fields=id,project.title,parent.id')).toEqual({
      status: 200,
      data: { id: 2, project: { title: 'Tea' }, parent: { id: 1 } },
    })
    expect(await ask('PATCH', 'tasks/1,2?fields=project,project_id', { project: [1, 2] })).toEqual({
      status: 200,
      data: { project: [1, 2], project_id: 2 },
    })
    expect(await ask('DELETE', 'tasks/1,3')).toEqual({ status: 204 })
    expect(await ask('GET', 'tasks/1,3')).toMatchObject({ status: 404 })
    expect(await ask('GET', 'users/1,ada')).toEqual({ status: 200, data: { tenant: 1, login: 'ada' } })
  })

  it('are read where they have no key, and nothing else', async () => {
    expect(await ask('GET', 'visits?aggregate[count]=*&groupBy=path')).toEqual({
      status: 200,
      data: [
        { path: '/', count: 1 },
        { path: '/tea', count: 2 },
      ],
    })
    for (const [method, path, body] of [
      ['GET', 'visits/1', undefined],
      ['POST', 'visits', { path: '/x' }],
      ['PATCH', 'visits/1', { path: '/x' }],
      ['DELETE', 'visits', { query: { filter: { path: '/' } } }],
    ] as const)
      expect(await ask(method, path, body)).toMatchObject({
        status: 400,
        errors: [{ message: '"visits" has no key.', extensions: { code: 'INVALID_PAYLOAD' } }],
      })
    expect(await rowsOf('visits')).toHaveLength(3)
  })
})
