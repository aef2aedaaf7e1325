// The census of what a process keeps at the level of modules: of each store what it holds, and what bounds it. A new one is entered here.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../src')

/** By file and name: what it keeps, and either with what it goes or how much it is at most. */
const census: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'access/caller-scope.ts': { known: 'permissions of a caller: goes with the access' },
  'dialects/postgres/wire.ts': { lines: 'raw connections: goes with the connection' },
  'dialects/sqlite/read-columns.ts': { inJson: 'columns inside of JSON: goes with the piece of SQL' },
  'drivers/postgres/clients.ts': { heard: 'pools and clients with listeners: goes with the client' },
  'engine/call-hook.ts': { shared: 'units whose engine a hook has asked for: goes with the unit' },
  'engine/host-units.ts': {
    hostUnits: 'units that a host commits: goes with the unit',
    units: "unit of work of a host's transaction: goes with the transaction",
  },
  'errors/abort-signal.ts': { listening: 'calls that hear a signal: goes with the signal' },
  'execution/acquire-timeout.ts': {
    all: 'calls that wait for a connection: leaves when its call ends',
    clock: 'the one timer of all of them: one value',
    isStarting: 'whether the timer is being set: one value',
  },
  'execution/cancel.ts': { processes: "number of the server's process: goes with the connection" },
  'execution/connection.ts': {
    pooled: 'databases that hand out a connection each time: goes with the database',
    tried: 'databases that were looked at for that: goes with the database',
  },
  'execution/database-bytes.ts': { known: 'size of a database: goes with the database' },
  'execution/deadlock-guard.ts': {
    calls: 'calls around what runs now: goes with the async context',
    going: 'number of calls: one value',
    isEnding: 'whether the context is being disabled: one value',
    quick: 'call of a function that returns at once: one value',
    returnAtOnce: 'functions of the host that have returned at once: goes with the function',
  },
  'execution/prepare-connection.ts': {
    withSettings: 'connections whose settings are made: goes with the connection',
  },
  'execution/retry-when-busy.ts': {
    final: 'errors of calls that have waited: goes with the error',
    lines: 'those that wait for the lock of a file: goes with the database',
  },
  'execution/run-alone.ts': { uncancellable: 'senders that cannot cancel: goes with the sender' },
  'execution/server-version.ts': { servers: 'version of a server: goes with the adapter' },
  'execution/stream-slots.ts': { all: 'open streams: goes with the database' },
  'execution/transaction/isolation-level.ts': {
    hosts: 'transactions whose level the host chose: goes with the transaction',
  },
  'execution/transaction/savepoint.ts': { made: 'number of names of savepoints: one value' },
  'execution/transaction/transaction.ts': {
    withoutAny: 'databases whose driver has no transactions: goes with the database',
  },
  'execution/transaction/uncertain-commit.ts': {
    inDoubt: 'connections whose transaction could not be rolled back: goes with the connection',
  },
  'execution/uniqueness.ts': { unique: 'whether columns are unique: at most 100 for each collection' },
  'execution/write-lock.ts': {
    immediate: 'errors of statements that have not waited: goes with the error',
    lockStates: 'whether a transaction holds the lock: goes with the connection',
  },
  'files/open-images.ts': { opened: 'variants that are being made: goes with the engine' },
  'files/pending-uploads.ts': {
    all: 'names of files whose rows are not committed: leaves when its upload ends',
  },
  'graphql/answer/result-error.ts': { nodesOfErrors: 'place of an error in a document: goes with the error' },
  'graphql/answer/schema-listing.ts': {
    bounds: 'most that an introspection may take: goes with the schema',
    knownSizes: 'sizes of introspections: at most as many as the cache of each schema',
  },
  'graphql/document/collect-operation.ts': {
    operations: 'conditions of an operation: goes with the document',
  },
  'graphql/document/read-document.ts': { documents: 'valid documents: at most 500 for each schema' },
  'graphql/schema/create-graphql-schema.ts': {
    extended: 'schemas with fields of the host: at most as many as the cache of each extension',
  },
  'graphql/schema/extra/extensions.ts': { checked: 'checked fields of the host: goes with the extension' },
  'graphql/schema/function-kinds.ts': {
    byFamily: 'kinds of functions: at most one for each family of types',
  },
  'graphql/schema/schema-for.ts': {
    byCaller: 'schemas of callers: at most as many as the cache of each engine',
    byFingerprint: 'schemas of equal callers: at most as many as its cache holds',
    byWhole: 'names of all that there is: at most as many as the cache of each engine',
  },
  'graphql/schema/schema-options.ts': {
    checkedWithEvents: 'checked options of schemas with subscriptions: goes with the options',
    checkedWithout: 'checked options of schemas without: goes with the options',
  },
  'http/item-body.ts': { kept: 'parsed query strings: at most 500 for each engine' },
  'http/mounts/handler-mounts.ts': {
    known: 'mounts over engines: goes with the mount or its function, and with the engine',
  },
  'http/node/lazy-request.ts': { kinds: 'makers of requests: goes with the class of requests' },
  'images/load-sharp.ts': { loaded: 'the image library: one value' },
  'images/source-facts.ts': { known: 'facts about a picture: goes with its bytes' },
  'items/caller-variables.ts': {
    limitedCaches: 'templates of engines with bounds of their own: goes with the engine',
    unlimitedCaches: 'templates of engines without: goes with the engine',
  },
  'items/read/answer-shape.ts': { caches: 'shapes of answers: at most as many as the cache of each engine' },
  'items/read/explain-access.ts': { nothing: 'nothing, and stays empty: one value' },
  'items/watch/matching-rows.ts': {
    readers:
      'the statement for rows that are matched in memory, one for each collection: goes with the dialect',
  },
  'items/watch/member-sets.ts': { sets: 'template of a list and its operands: goes with the request' },
  'items/read/read-back.ts': { short: 'items that cannot be too many bytes: goes with the form' },
  'items/read/read-request.ts': {
    cursorValues: 'values that were read for the cursors of a query: goes with the query',
  },
  'items/write/choose-deletion.ts': {
    caches: 'templates of deletions: at most as many as the cache of each engine',
  },
  'items/write/nested-items.ts': { relations: 'names of relations to many: goes with the collection' },
  'items/write/upsert-statements.ts': { kept: 'statements of upserts: at most 50 for each form of a result' },
  'plan/filter/relation-condition.ts': {
    ofSchemas: 'text of the conditions of relations: goes with the schema',
  },
  'plan/write/defaults.ts': { storedFields: 'stored fields of a collection: goes with the collection' },
  'plan/write/later-validations.ts': {
    further: 'whether there are such validations: goes with the collection',
    inputs: 'validations as they are given: goes with the collection',
  },
  'plan/write/row-layout.ts': {
    conditional: 'names of the fields of references with a condition: goes with the collection',
  },
  'plan/write/validate-item.ts': { validations: 'validations of a collection: goes with the collection' },
  'errors/too-many-bytes.ts': { tooLong: 'errors of answers that are too long: goes with the error' },
  'prepared/templates/bind.ts': {
    saidByRules: 'operands as rules say them: goes with the test of a template',
  },
  'prepared/streams/cursor-stream.ts': { opened: 'number in the next name of a cursor: one value' },
  'prepared/templates/set-template.ts': {
    caches: 'templates for value sets: at most 200 shapes for each cache of templates and database',
  },
  'prepared/templates/template.ts': { noBoundValues: 'nothing, and stays empty: one value' },
  'query/cursor.ts': { last: 'the cursor that was read last: one value' },
  'realtime/list/listed.ts': { shown: 'items of a snapshot: goes with the list as it was read' },
  'realtime/messages.ts': { causes: 'by what items have come and gone: goes with the message' },
  'realtime/socket/upgrades.ts': { known: 'paths of sockets: goes with the server' },
  'realtime/wire/item-text.ts': {
    young: 'texts of items and lists: at most 8 million signs and one text more',
    old: 'the texts before these: at most as many',
    signs: 'signs of the younger texts: one value',
  },
  'realtime/wire/message-rights.ts': {
    readings: 'rights by which messages were read: goes with the message',
  },
  'sql/frame.ts': { relied: 'columns that are unique for a relation: goes with the field' },
  'sql/write/insert-statement.ts': { insertTexts: 'texts of inserts: at most 200 for each collection' },
  'sql/write/returning.ts': { followed: 'statement that looks for triggers: goes with the collection' },
  'sql/write/row-locks.ts': { keysAbove: 'statement that counts new keys: goes with the collection' },
  'sql/write/row-values.ts': { fieldValues: 'value of a column in a write: goes with the field' },
  'storage/opened-file.ts': { openers: 'how a storage opens files: goes with the storage' },
  'storage/outgoing-bytes.ts': { made: 'chunks of a stream: goes with the stream' },
  'testing/storage/memory-cases.ts': { collect: 'the collector of garbage: one value' },
  'values/bytes.ts': { codec: 'converter of bytes: one value' },
  'values/fold.ts': { found: 'variants of a cased character: at most some 3,000, as many as Unicode has' },
  'values/zone.ts': { formatters: 'formatters of time zones: at most as many as engines have zones' },
  'versions/visible-delta.ts': { nothing: 'nothing, and stays empty: one value' },
  'writes/authorize/nested-row-numbers.ts': { known: 'whether row numbers are keys: goes with the schema' },
  'writes/authorize/passes-validations.ts': {
    steady: 'validations that are steady: goes with the collection',
  },
  'writes/authorize/references.ts': {
    holding: 'fields that hold references: goes with the collection',
    referring: 'fields that refer to a collection: goes with the collection',
  },
  'writes/authorize/unsure-references.ts': {
    unsure: 'whether references came out otherwise: at most 100 for each collection',
  },
  'writes/authorize/visible-keys.ts': {
    templates: 'templates of statements that look for a visible row: goes with the rules',
  },
  'writes/children/standing-children.ts': {
    templates: 'templates of statements that find children: goes with the rules',
  },
  'writes/delete/delete-named.ts': { templates: 'templates of deletions: goes with the engine' },
  'writes/delete/delete-versions.ts': {
    statements: 'deletions of the versions of items: goes with the templates',
    tablesSeen: 'tables that were looked at: goes with the database',
  },
  'writes/context/in-halves.ts': { ofSeveral: 'errors about one of several items: goes with the error' },
  'writes/stored/altered-values.ts': {
    altered: 'whether a table alters values: at most 100 for each collection',
  },
  'writes/insert/insert-by-statement.ts': {
    lastUsed: 'template of the last insert: goes with the form of the result',
    templates: 'templates of inserts: goes with the engine',
  },
  'writes/insert/sequential-keys.ts': {
    uncounted: 'collections without sequential keys: goes with the collection',
  },
  'writes/authorize/long-lists.ts': {
    relations: 'relations of a collection: goes with the collection',
  },
  'writes/stored/replaced-rows.ts': {
    replacing: 'whether rows of a table replace others: at most 100 for each collection',
  },
  'writes/stored/rows-by-key.ts': { readers: 'readers of keys: goes with the field' },
  'writes/stored/side-effects.ts': {
    orders: 'whether an order of updates shows: at most 100 for each collection',
    triggers: 'whether a table has triggers: at most 100 for each collection',
    updates: 'whether an update has effects: at most 100 for each collection',
    views: 'whether a table is a view: at most 100 for each collection',
  },
  'writes/update/update-by-statement.ts': {
    lastUsed: 'template of the last update: goes with the form of the result',
    templates: 'templates of updates: goes with the engine',
  },
}

it('enters every store in the census', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    // A page for browsers is a process of its own.
    .filter((path) => path.endsWith('.ts') && !path.startsWith('pages/'))
  const found = files.flatMap((path) => storesOf(path).map((name) => `${path} ${name}`))
  const entered = Object.entries(census).flatMap(([path, stores]) =>
    Object.keys(stores).map((name) => `${path} ${name}`),
  )
  expect(found.sort()).toEqual(entered.sort())
})

it('says of each with what it goes, or how much it is at most', () => {
  const unbounded = Object.values(census)
    .flatMap((stores) => Object.values(stores))
    .filter((sentence) => !/: (goes with|at most|leaves when|one value)/.test(sentence))
  expect(unbounded).toEqual([])
})

/** Variables of a module that can change, or hold a collection that can: `let`, and a `const` that begins empty. */
function storesOf(path: string): readonly string[] {
  const source = ts.createSourceFile(
    path,
    readFileSync(join(root, path), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  return source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) =>
    declarationList.declarations
      .filter(({ initializer, type }) => {
        const isConstant = (declarationList.flags & ts.NodeFlags.Const) !== 0
        // What is declared as read-only is a constant that is empty.
        const isFrozen = type !== undefined && /^Readonly/.test(type.getText())
        return !isConstant || (!isFrozen && initializer !== undefined && isEmptyCollection(initializer))
      })
      .map(({ name }) => name.getText()),
  )
}

const isEmptyCollection = (node: ts.Expression): boolean =>
  ts.isNewExpression(node) &&
  (/(Cache|AsyncLocalStorage|TableFacts)$/.test(node.expression.getText()) ||
    (/^(Weak)?(Map|Set)$/.test(node.expression.getText()) && !node.arguments?.length))
