// No options object passes over a name that it does not know.
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import * as exporting from '../../src/export.ts'
import * as flows from '../../src/flows.ts'
import * as graphql from '../../src/graphql.ts'
import * as http from '../../src/http.ts'
import * as quernel from '../../src/index.ts'
import * as introspecting from '../../src/introspect.ts'
import * as postgres from '../../src/postgres.ts'
import {
  changeLogSource,
  createFeed,
  installChangeLog,
  localSource,
  removeChangeLog,
} from '../../src/realtime.ts'
import * as sqlite from '../../src/sqlite.ts'
import * as storage from '../../src/storage.ts'
import * as testing from '../../src/testing.ts'
import { key, string } from '../support/fields.ts'

const schema = quernel.defineSchema({
  notes: { versioned: true, fields: { id: key, text: string } },
  site: { singleton: true, fields: { id: key, title: string } },
})
const db = new Kysely<object>({ dialect: sqlite.sqliteDialect({ database: new Database(':memory:') }) })
const engine: quernel.Engine = quernel.createEngine({ db, schema, storage: storage.memoryStorage() })
const all = { limit: -1 }
const pool = { connect: () => Promise.reject(new Error('nobody asks')), end: async () => {}, options: {} }

/** A call with options, for each function that takes any; and one of its options, misspelt. */
const callWith: Readonly<Record<string, readonly [misspelt: string, call: (options: object) => unknown]>> = {
  listItems: ['signl', (o) => quernel.listItems(engine, 'notes', {}, o)],
  listItemsJson: ['timeoutMS', (o) => quernel.listItemsJson(engine, 'notes', {}, o)],
  streamItems: ['timeout', (o) => quernel.streamItems(engine, 'notes', {}, o).next()],
  getItem: ['signa', (o) => quernel.getItem(engine, 'notes', 1, {}, o)],
  getSingleton: ['signall', (o) => quernel.getSingleton(engine, 'site', {}, o)],
  createItem: ['Signal', (o) => quernel.createItem(engine, 'notes', { text: '' }, {}, o)],
  createItems: ['sginal', (o) => quernel.createItems(engine, 'notes', [], {}, o)],
  updateItem: ['singal', (o) => quernel.updateItem(engine, 'notes', 1, {}, {}, o)],
  updateEach: ['timeoutMS', (o) => quernel.updateEach(engine, 'notes', [{ id: 1 }], {}, o)],
  updateItems: ['signl', (o) => quernel.updateItems(engine, 'notes', [1], {}, {}, o)],
  updateByQuery: ['dryrun', (o) => quernel.updateByQuery(engine, 'notes', all, {}, o)],
  updateSingleton: ['signl', (o) => quernel.updateSingleton(engine, 'site', {}, {}, o)],
  deleteItem: ['timeoutMs ', (o) => quernel.deleteItem(engine, 'notes', 1, o)],
  deleteItems: ['maxAffect', (o) => quernel.deleteItems(engine, 'notes', [1], undefined, o)],
  deleteByQuery: ['dryrun', (o) => quernel.deleteByQuery(engine, 'notes', all, o)],
  explainItems: ['databse', (o) => quernel.explainItems(engine, 'notes', {}, o)],
  createVersion: ['signl', (o) => quernel.createVersion(engine, 'notes', 1, { key: 'a' }, {}, o)],
  listVersions: ['signl', (o) => quernel.listVersions(engine, 'notes', 1, {}, o)],
  saveVersion: ['signl', (o) => quernel.saveVersion(engine, 'notes', 1, 'a', {}, {}, o)],
  updateVersion: ['signl', (o) => quernel.updateVersion(engine, 'notes', 1, 'a', {}, {}, o)],
  compareVersion: ['signl', (o) => quernel.compareVersion(engine, 'notes', 1, 'a', o)],
  promoteVersion: ['signl', (o) => quernel.promoteVersion(engine, 'notes', 1, 'a', { mainHash: '' }, {}, o)],
  deleteVersion: ['signl', (o) => quernel.deleteVersion(engine, 'notes', 1, 'a', o)],
  uploadFile: ['signl', (o) => quernel.uploadFile(engine, new Blob([]), { filename: 'a' }, {}, o)],
  getFile: ['signl', (o) => quernel.getFile(engine, 'a', {}, o)],
  listFiles: ['signl', (o) => quernel.listFiles(engine, {}, o)],
  updateFile: ['signl', (o) => quernel.updateFile(engine, 'a', {}, new Blob([]), {}, o)],
  sweepFiles: ['dryrun', (o) => quernel.sweepFiles(engine, o)],
  deleteFile: ['signl', (o) => quernel.deleteFile(engine, 'a', o)],
  transformAsset: ['acept', (o) => quernel.transformAsset(engine, 'a', {}, o)],
  answerGraphQL: ['introspecton', (o) => graphql.answerGraphQL(engine, { query: '{ notes { id } }' }, o)],
  createGraphQLHandler: [
    'prefx',
    (o) => graphql.createGraphQLHandler(engine, { authenticate: () => null, ...o }),
  ],
  upsertItem: ['onn', (o) => quernel.upsertItem(engine, 'notes', { id: 1 }, {}, o)],
  upsertItems: ['signl', (o) => quernel.upsertItems(engine, 'notes', [], {}, o)],
  parseQuery: ['alow', (o) => quernel.parseQuery('', o)],
  compileFilter: ['alais', (o) => quernel.compileFilter(engine, 'notes', {}, o)],
  matchesFilter: ['acess', (o) => quernel.matchesFilter(engine, 'notes', {}, {}, o)],
  createEngine: ['timoutMs', (o) => quernel.createEngine({ db, schema, ...o })],
  'createEngine, limits': ['maxLimt', (o) => quernel.createEngine({ db, schema, limits: o })],
  'createEngine, versions': ['colection', (o) => quernel.createEngine({ db, schema, versions: o })],
  'createEngine, files': [
    'maxByte',
    (o) => quernel.createEngine({ db, schema, storage: storage.memoryStorage(), files: o }),
  ],
  'createEngine, assets': ['alowed', (o) => quernel.createEngine({ db, schema, assets: o })],
  createFlows: ['ftch', (o) => flows.createFlows(engine, { flows: [], ...o })],
  collectionFlows: [
    'secretss',
    (o) => flows.collectionFlows('notes', { access: [], collections: [], operations: [], ...o }),
  ],
  quickScript: ['timeoutMS', (o) => flows.quickScript(o)],
  'engine.as': ['rule', (o) => engine.as(o)],
  'engine.transaction': ['signl', (o) => engine.transaction(async () => undefined, o)],
  'engine.on': ['whn', (o) => engine.on('items.read', () => undefined, { when: 'after', ...o })],
  'an access beside a filter': ['rols', (o) => quernel.matchesFilter(engine, 'notes', {}, {}, { access: o })],
  exportItems: ['guardFormula', (o) => exporting.exportItems(engine, 'notes', {}, 'csv', o)],
  createHandler: ['bodylimit', (o) => http.createHandler(engine, { authenticate: () => null, ...o })],
  describeApi: ['titel', (o) => http.describeApi(engine, o)],
  explainGraphQL: ['limts', (o) => graphql.explainGraphQL(engine, { query: '{ notes { id } }' }, o)],
  graphql: ['prefx', (o) => graphql.graphql(o)],
  createGraphQLSocket: [
    'introspecton',
    (o) =>
      graphql.createGraphQLSocket(createFeed(engine, { source: localSource() }), {
        authenticate: () => null,
        ...o,
      }),
  ],
  changeLogSource: ['everyMS', (o) => changeLogSource(o)],
  installChangeLog: ['dryrun', (o) => installChangeLog(engine, [], { dryRun: true, ...o })],
  'installChangeLog, keep': ['row', (o) => installChangeLog(engine, [], { dryRun: true, keep: o })],
  removeChangeLog: ['dryrun', (o) => removeChangeLog(engine, [], o)],
  createGraphQLSchema: ['name', (o) => graphql.createGraphQLSchema(engine, o)],
  'createGraphQLSchema, names': ['renames', (o) => graphql.createGraphQLSchema(engine, { names: o })],
  'createGraphQLSchema, scalars': [
    'decimals',
    (o) => graphql.createGraphQLSchema(engine, { names: { scalars: o } }),
  ],
  printGraphQLSchema: ['nams', (o) => graphql.printGraphQLSchema(engine, o)],
  reportGraphQLNames: ['nams', (o) => graphql.reportGraphQLNames(engine, o)],
  checkSchema: ['version', (o) => introspecting.checkSchema(db, schema, o)],
  sqliteReaders: ['thread', (o) => sqlite.sqliteReaders({ path: 'shop.db', ...o })],
  introspectSchema: ['includes', (o) => introspecting.introspectSchema(db, o)],
  readCatalogue: ['dbSchema', (o) => introspecting.readCatalogue(db, o)],
  readCmsSchema: ['dbShema', (o) => introspecting.readCmsSchema(db, o)],
  readCmsAccess: ['maxAgeMS', (o) => introspecting.readCmsAccess(db, o)],
  readCmsFlows: ['timezone', (o) => introspecting.readCmsFlows(db, o)],
  fileStorage: ['rot', (o) => storage.fileStorage({ root: 'files', ...o })],
  s3Storage: ['buket', (o) => storage.s3Storage({ client: Object(null), bucket: 'b', ...o })],
  'write of a storage': ['isLastin', (o) => storage.memoryStorage().write('a', new Blob([]), o)],
  storageContract: ['keepInMemory', (o) => testing.storageContract(storage.memoryStorage, o)],
  sourceContract: ['waitms', (o) => testing.sourceContract(() => Promise.reject(new Error('unasked')), o)],
  sqliteDialect: ['statments', (o) => sqlite.sqliteDialect({ database: new Database(':memory:'), ...o })],
  equipDatabase: ['statments', (o) => sqlite.equipDatabase(new Database(':memory:'), o)],
  postgresDialect: ['statments', (o) => postgres.postgresDialect({ pool, ...o })],
  nameStatements: ['statments', (o) => postgres.nameStatements(pool, o)],
}

/** Functions that take no options. */
const without = [
  'EngineError',
  'checkKey',
  'contentDisposition',
  'defineSchema', // its definition is checked by itself
  'defineStorage',
  'explainAccess',
  'isEngineError',
  'json',
  'limitsFromEnvironment',
  'memoryStorage',
  'purgeVariants',
  'rangeWithin',
  'toErrorBody',
  'toNode',
]

const refusalOf = async (call: (options: object) => unknown, options: object) => {
  try {
    await call(options)
    return 'taken'
  } catch (error) {
    return quernel.isEngineError(error) ? error : `something else: ${error}`
  }
}

describe('options', () => {
  const entries = {
    ...quernel,
    ...exporting,
    ...graphql,
    ...http,
    ...introspecting,
    ...postgres,
    ...sqlite,
    ...storage,
    ...testing,
  }
  const functions = Object.entries(entries).filter(([, exported]) => typeof exported === 'function')

  it.each(functions.map(([name]) => name))('%s is known to take options or none', (name) => {
    expect([...Object.keys(callWith), ...without]).toContain(name)
  })

  it.each(Object.entries(callWith))(
    'an unknown one is refused by %s, with the nearest name',
    async (_, [name, call]) => {
      const refused = await refusalOf(call, { [name]: true })
      expect(refused).toMatchObject({
        code: 'INVALID_OPTIONS',
        hint: expect.stringMatching(/^Did you mean "\w+"\?$/),
      })
      expect(refused).toHaveProperty('path', expect.arrayContaining([name]))
      expect(await refusalOf(call, { xyzzyxyzzy: true })).toMatchObject({ code: 'INVALID_OPTIONS' })
    },
  )

  it.each(Object.entries(callWith))('a name without a value is no option of %s', async (_, [, call]) => {
    expect(await refusalOf(call, { xyzzyxyzzy: undefined })).not.toHaveProperty('path', ['xyzzyxyzzy'])
  })

  it('an item that would have been deleted by a misspelt dry run stays', async () => {
    const database = new Database(':memory:')
    database.exec("create table notes (id integer primary key, text text); insert into notes values (1, 'a')")
    const own = quernel.createEngine({
      db: new Kysely<object>({ dialect: sqlite.sqliteDialect({ database }) }),
      schema,
    })
    const misspelt = { dryrun: true } as quernel.BulkOptions
    await expect(quernel.deleteByQuery(own, 'notes', { limit: -1 }, misspelt)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      path: ['dryrun'],
      hint: 'Did you mean "dryRun"?',
    })
    expect(database.prepare('select count(*) as n from notes').get()).toEqual({ n: 1 })
  })

  it.each([
    ['dryRun', () => quernel.deleteByQuery(engine, 'notes', all, { dryRun: 'no' as never })],
    ['signal', () => quernel.listItems(engine, 'notes', {}, { signal: {} as never })],
    ['negationMatchesNull', () => quernel.createEngine({ db, schema, negationMatchesNull: 'no' as never })],
    ['clock', () => quernel.createEngine({ db, schema, clock: new Date() as never })],
    ['prefix', () => http.createHandler(engine, { authenticate: () => null, prefix: 1 as never })],
    ['authenticate', () => http.createHandler(engine, {} as never)],
    ['authenticate', () => http.createHandler(engine, { authenticate: 'token' as never })],
  ])('"%s" is of its kind', async (name, call) => {
    expect(await refusalOf(call, {})).toMatchObject({ code: 'INVALID_OPTIONS', path: [name] })
  })

  it.each([null, 5, 'signal', () => undefined])('%s is no options', async (given) => {
    for (const call of [
      () => quernel.listItems(engine, 'notes', {}, given as never),
      () => quernel.deleteByQuery(engine, 'notes', all, given as never),
      () => quernel.createEngine(given as never),
      () => http.createHandler(engine, given as never),
    ])
      expect(await refusalOf(call, {})).toMatchObject({ code: 'INVALID_OPTIONS' })
  })

  it('what an object inherits is not said by whoever gives it', async () => {
    expect(() => engine.as(Object.assign(Object.create(null), { admin: true }))).not.toThrow()
    expect(
      await refusalOf((options) => quernel.parseQuery('', options), Object.create({ anything: 1 })),
    ).toBe('taken')
  })

  it('only a handler is taken by toNode', () => {
    expect(() => http.toNode(engine as never)).toThrow('toNode takes a handler of createHandler')
  })
})
