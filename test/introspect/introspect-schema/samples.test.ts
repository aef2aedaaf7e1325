// Well-known databases, introspected and asked at once.
import { describe, expect, it } from 'vitest'
import { createEngine, createItem, deleteItem, listItems, updateItem } from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import { databases } from '../../support/databases.ts'
import { integer, key, many, one } from '../../support/fields.ts'
import { chinook } from '../samples/chinook.ts'
import { northwind } from '../samples/northwind.ts'
import { build, run } from '../samples/sample.ts'
import { tenants } from '../samples/tenants.ts'

const string = (length: number) => ({ type: 'string', length })
const orNull = (field: object) => ({ ...field, nullable: true })
const price = { type: 'decimal', precision: 10, scale: 2 }

/** The rows for SQLite have dates as SQL writes them. */
const momentOn = (name: string) =>
  name === 'sqlite' ? { type: 'dateTime', storage: 'sql' } : { type: 'dateTime' }

/** The same on both databases, but for the form of dates. */
const shopOn = (name: string) => ({
  Album: {
    fields: { AlbumId: key, Title: string(160), ArtistId: one('Artist'), Track: many('Track.AlbumId') },
  },
  Artist: { fields: { ArtistId: key, Name: orNull(string(120)), Album: many('Album.ArtistId') } },
  Customer: {
    fields: {
      CustomerId: key,
      FirstName: string(40),
      LastName: string(20),
      Company: orNull(string(80)),
      Email: string(60),
      SupportRepId: orNull({ type: 'm2o', to: 'Employee' }),
      Invoice: many('Invoice.CustomerId'),
    },
  },
  Employee: {
    fields: {
      EmployeeId: key,
      LastName: string(20),
      FirstName: string(20),
      Title: orNull(string(30)),
      ReportsTo: orNull({ type: 'm2o', to: 'Employee' }),
      BirthDate: orNull(momentOn(name)),
      HireDate: orNull(momentOn(name)),
      Email: orNull(string(60)),
      Customer: many('Customer.SupportRepId'),
      Employee_by_ReportsTo: many('Employee.ReportsTo'),
    },
  },
  Genre: { fields: { GenreId: key, Name: orNull(string(120)), Track: many('Track.GenreId') } },
  Invoice: {
    fields: {
      InvoiceId: key,
      CustomerId: one('Customer'),
      InvoiceDate: momentOn(name),
      BillingCity: orNull(string(40)),
      Total: price,
      InvoiceLine: many('InvoiceLine.InvoiceId'),
    },
  },
  InvoiceLine: {
    fields: {
      InvoiceLineId: key,
      InvoiceId: one('Invoice'),
      TrackId: one('Track'),
      UnitPrice: price,
      Quantity: integer,
    },
  },
  MediaType: { fields: { MediaTypeId: key, Name: orNull(string(120)), Track: many('Track.MediaTypeId') } },
  Playlist: {
    fields: {
      PlaylistId: key,
      Name: orNull(string(120)),
      Track: { type: 'm2m', through: 'PlaylistTrack.PlaylistId', to: 'TrackId', deselect: 'delete' },
    },
  },
  PlaylistTrack: {
    key: ['PlaylistId', 'TrackId'],
    fields: { PlaylistId: one('Playlist'), TrackId: one('Track') },
  },
  Track: {
    fields: {
      TrackId: key,
      Name: string(200),
      AlbumId: orNull({ type: 'm2o', to: 'Album' }),
      MediaTypeId: one('MediaType'),
      GenreId: orNull({ type: 'm2o', to: 'Genre' }),
      Composer: orNull(string(220)),
      Milliseconds: integer,
      Bytes: orNull({ type: 'integer' }),
      UnitPrice: price,
      InvoiceLine: many('InvoiceLine.TrackId'),
      Playlist: { type: 'm2m', through: 'PlaylistTrack.TrackId', to: 'PlaylistId', deselect: 'delete' },
    },
  },
})

describe.each(databases)('Chinook on $name', ({ name, open }) => {
  it('is the same schema on every database, with its playlists', async () => {
    const { db } = await open()
    await build(chinook, name, db)
    const schema = await introspectSchema(db)
    expect(schema.definition).toEqual(shopOn(name))
    expect(schema.report.filter(({ kind }) => kind === 'skipped')).toEqual([])
  })

  it('answers what hangs together, at any depth', async () => {
    const { db } = await open()
    await build(chinook, name, db)
    const engine = createEngine({ db, schema: await introspectSchema(db) })
    expect(
      await listItems(engine, 'Artist', {
        fields: ['Name', 'Album.Title', 'Album.Track.Name'],
        filter: { Album: { Track: { GenreId: { Name: 'Choral' } } } },
      }),
    ).toEqual({
      data: [
        {
          Name: 'The Lantern Choir',
          Album: [
            { Title: 'Low Tide', Track: [{ Name: 'Harbour' }, { Name: 'Undertow' }] },
            { Title: 'High Water', Track: [] },
          ],
        },
      ],
    })
    expect(
      await listItems(engine, 'Invoice', {
        fields: ['InvoiceDate', 'Total', 'CustomerId.SupportRepId.ReportsTo.LastName'],
        sort: ['InvoiceId'],
      }),
    ).toEqual({
      data: [
        {
          InvoiceDate: '2009-01-01T00:00:00',
          Total: '2.97',
          CustomerId: { SupportRepId: { ReportsTo: { LastName: 'Berg' } } },
        },
        { InvoiceDate: '2009-01-02T10:30:00', Total: '0.99', CustomerId: { SupportRepId: null } },
      ],
    })
  })

  it('leads through a junction whose key is another than the two that it joins', async () => {
    const { db } = await open()
    await build(chinook, name, db)
    const declared = { override: { PlaylistTrack: { key: name === 'sqlite' ? 'rowid' : 'id' } } }
    if (name === 'postgres')
      await run(db, 'ALTER TABLE "PlaylistTrack" ADD COLUMN "id" bigint GENERATED ALWAYS AS IDENTITY UNIQUE')
    const schema = await introspectSchema(db, declared)
    expect(schema.definition.Playlist?.fields.Track).toEqual({
      type: 'm2m',
      through: 'PlaylistTrack.PlaylistId',
      to: 'TrackId',
      deselect: 'delete',
    })
    expect(schema.definition.Track?.fields.Playlist).toMatchObject({ type: 'm2m', to: 'PlaylistId' })
    const engine = createEngine({ db, schema })
    const query = { fields: ['Name', 'Track.TrackId.Name'] }
    expect(await listItems(engine, 'Playlist', query)).toEqual({
      data: [
        { Name: 'Quiet', Track: [{ TrackId: { Name: 'Undertow' } }, { TrackId: { Name: 'Polar Night' } }] },
        { Name: 'Empty', Track: [] },
      ],
    })
    expect(await updateItem(engine, 'Playlist', 2, { Track: [{ TrackId: 1 }] }, query)).toEqual({
      Name: 'Empty',
      Track: [{ TrackId: { Name: 'Harbour' } }],
    })
    expect(await updateItem(engine, 'Playlist', 1, { Track: [] }, query)).toEqual({
      Name: 'Quiet',
      Track: [],
    })
  })
})

describe.each(databases)('Northwind on $name', ({ name, open }) => {
  it('has its lists, defaults and self-references', async () => {
    const { db } = await open()
    await build(northwind, name, db)
    const { definition, report } = await introspectSchema(db)
    expect(definition.Products).toEqual({
      fields: {
        ProductID: key,
        ProductName: string(40),
        SupplierID: orNull({ type: 'm2o', to: 'Suppliers' }),
        CategoryID: orNull({ type: 'm2o', to: 'Categories' }),
        UnitPrice: { type: 'decimal', nullable: true, defaulted: true },
        UnitsInStock: { type: 'integer', default: 0 },
        Discontinued: { type: 'boolean', default: false },
        'Order Details': many('Order Details.ProductID'),
        Orders: { type: 'm2m', through: 'Order Details.ProductID', to: 'OrderID', deselect: 'delete' },
      },
    })
    expect(definition.Categories?.fields.CategoryName).toEqual({ ...string(15), unique: true })
    expect(definition.Customers?.fields.CustomerID).toEqual({ ...string(5), key: true })
    expect(Object.keys(definition.Employees?.fields ?? {}).slice(-3)).toEqual([
      'Employees_by_ReportsTo',
      'Orders',
      'Territories',
    ])
    expect(Object.keys(definition.Orders?.fields ?? {}).slice(-2)).toEqual(['Order Details', 'Products'])
    expect(
      report.filter(({ kind }) => kind === 'limited').map(({ code, table }) => `${code} ${table}`),
    ).toEqual(['VIEW_WITHOUT_KEY Current Product List', 'VIEW_WITHOUT_KEY Order Subtotals'])
    expect(report.filter(({ kind }) => kind === 'skipped')).toEqual([])
    expect(definition['Order Details']?.key).toEqual(['OrderID', 'ProductID'])
  })

  it('reads views whose key is declared, with relations that are declared', async () => {
    const { db } = await open()
    await build(northwind, name, db)
    const schema = await introspectSchema(db, {
      rename: { 'Order Subtotals': 'Subtotals' },
      override: {
        Subtotals: { key: 'OrderID', fields: { OrderID: one('Orders') } },
        Orders: { fields: { Subtotal: many('Subtotals.OrderID') } },
      },
    })
    const engine = createEngine({ db, schema })
    const { data } = await listItems(engine, 'Orders', {
      fields: ['CustomerID.CompanyName', 'Subtotal.Subtotal', 'OrderDate'],
      filter: { EmployeeID: { ReportsTo: { LastName: 'Davol' } } },
    })
    expect(data).toEqual([
      {
        CustomerID: { CompanyName: 'Alfreds Kiosk' },
        Subtotal: [{ Subtotal: name === 'sqlite' ? 266 : '266' }],
        OrderDate: '1996-07-04',
      },
    ])
    await expect(createItem(engine, 'Subtotals', { OrderID: 1 })).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
      path: ['OrderID'],
    })
  })

  it('can be written at once: numbers, defaults and what the database refuses', async () => {
    const { db } = await open()
    await build(northwind, name, db)
    const engine = createEngine({ db, schema: await introspectSchema(db) })
    expect(
      await createItem(
        engine,
        'Categories',
        { CategoryName: 'Seafood', Products: [{ ProductName: 'Kelp' }] },
        { fields: ['CategoryName', 'Products.ProductName', 'Products.UnitPrice', 'Products.Discontinued'] },
      ),
    ).toMatchObject({
      CategoryName: 'Seafood',
      Products: [{ ProductName: 'Kelp', UnitPrice: '0', Discontinued: false }],
    })
    await expect(createItem(engine, 'Categories', { CategoryName: 'Produce' })).rejects.toMatchObject({
      code: 'RECORD_NOT_UNIQUE',
      path: ['CategoryName'],
    })
    await expect(createItem(engine, 'Categories', {})).rejects.toMatchObject({ code: 'FAILED_VALIDATION' })
    await expect(deleteItem(engine, 'Products', 3)).rejects.toMatchObject({ code: 'INVALID_FOREIGN_KEY' })
  })
})

describe.each(databases)('tables of many tenants on $name', ({ name, open }) => {
  it('lead within their tenant, by names that say where', async () => {
    const { db } = await open()
    await build(tenants, name, db)
    const schema = await introspectSchema(db)
    const engine = createEngine({ db, schema })
    expect(
      await listItems(engine, 'tasks', {
        fields: ['tenant.name', 'id', 'project.title', 'parent.id', 'tasks_by_parent.id'],
        filter: { tenant: { name: 'North' } },
      }),
    ).toEqual({
      data: [
        {
          tenant: { name: 'North' },
          id: 1,
          project: { title: 'Tea' },
          parent: null,
          tasks_by_parent: [{ id: 2 }, { id: 3 }],
        },
        {
          tenant: { name: 'North' },
          id: 2,
          project: { title: 'Tea' },
          parent: { id: 1 },
          tasks_by_parent: [],
        },
        { tenant: { name: 'North' }, id: 3, project: null, parent: { id: 1 }, tasks_by_parent: [] },
      ],
    })
    expect(
      await listItems(engine, 'projects', {
        fields: ['title', 'users.login', 'users.since', 'count(tasks)'],
        filter: { users: { users: { login: 'bo' } } },
      }),
    ).toEqual({
      data: [
        {
          title: 'Tea',
          users: [
            { login: 'ada', since: '2024-05-01T09:00:00' },
            { login: 'bo', since: null },
          ],
          tasks_count: 2,
        },
      ],
    })
    expect(await listItems(engine, 'tenants', { fields: ['name', 'visits.path'] })).toEqual({
      data: [
        { name: 'North', visits: [{ path: '/tea' }, { path: '/tea' }] },
        { name: 'South', visits: [] },
      ],
    })
  })
})
