// Creates the engine's own tables in its database, all or none; and what identifies the rows of flows, with the indexes by which those
// are found that are due.
import { render, sql } from '../dialects/sql.ts'
import { fault, quote, unreachable } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { execute } from '../execution/execute.ts'
import { storedFieldsOf } from '../plan/write/defaults.ts'
import { link } from '../schema/link.ts'
import type { Collection, StoredField } from '../schema/model.ts'
import type { OwnRuns } from '../schema/own-runs.ts'
import { versionIdentity } from '../schema/own-versions.ts'
import {
  type FieldCondition,
  installStatements,
  missingIndexes,
  nameOf,
  type OwnIndex,
  type OwnTable,
  type TableParts,
} from '../sql/install.ts'
import type { Statement } from '../sql/statement.ts'
import type { EngineInternals } from './engine.ts'

/** Creates the tables and indexes that do not exist yet. Several processes may do so at once. */
export async function installTables(engine: EngineInternals, tables: readonly OwnTable[]): Promise<void> {
  const { dialect } = engine
  const found: (readonly [OwnTable, TableParts | undefined])[] = []
  // Read before the transaction, which begins with a statement that writes: after a read, a database of one writer would not wait for another.
  for (const table of tables) found.push([table, await partsOf(table, engine)])
  // Behind the reading: statements that write to a table are for one that was found, and so is none of others.
  await refuseStrangers(engine, tables)
  const statements = found.flatMap(([table, parts]) => {
    if (parts && table.isStrict) requireColumns(table, parts, engine)
    return installStatements(table, parts, dialect)
  })
  const isNew = new Set(found.flatMap(([table, parts]) => (parts ? [] : [table])))
  // Of a table that may be the host's own, what the host has granted stays.
  const ours = tables.filter((table) => isNew.has(table) || table.isStrict)
  if (statements.length === 0 && (await rightsOfOthers(engine, ours)).length === 0) return
  const alone = dialect.installAlone ? [render(dialect.installAlone, dialect)] : []
  await engine.atomic(async (inside) => {
    for (const statement of [...alone, ...statements]) await execute(inside, statement, {})
    // Others may have been quicker to create one of the names.
    await refuseStrangers(inside, tables)
    for (const statement of await rightsOfOthers(inside, ours)) await execute(inside, statement, {})
  }, {})
}

/** Returns the statements that take from others what default privileges have given them: triggers of theirs would run as the engine. */
async function rightsOfOthers(
  engine: EngineInternals,
  tables: readonly OwnTable[],
): Promise<readonly Statement[]> {
  const { dialect } = engine
  const found = dialect.rightsOfOthers?.(tables.map(({ collection }) => collection))
  const rows = found && tables.length > 0 ? await execute(engine, render(found, dialect), {}) : []
  return rows.map((row) => ({ sql: String(row[0]), parameters: [], kind: 'write' }))
}

/** Refuses tables and indexes of others under the names of the engine's own: what their owners wrote there would run as the engine. */
async function refuseStrangers(engine: EngineInternals, tables: readonly OwnTable[]): Promise<void> {
  const { dialect, schema } = engine
  const names = tables.flatMap((table) => {
    const { dbSchema } = table.collection
    const indexes = (table.indexes ?? []).map((index) => nameOf(index, table))
    return [table.collection.table, ...indexes].map((name) => ({ table: name, dbSchema }))
  })
  const own = new Set(names.map(({ table }) => table))
  const others = [...schema.collections.values()].filter(({ table }) => !own.has(table))
  const found = dialect.strangers?.(names, { tables: others, owning: 'all' })
  const problems = new Problems('INVALID_OPTIONS')
  for (const row of found ? await execute(engine, render(found, dialect), {}) : [])
    problems.add([], `A table of the engine is not safe: ${row[0]}.`, strangersHint)
  problems.throwIfAny()
}

const strangersHint =
  'Install as the role that owns the tables. A table of another owner under this name has to be dropped first, or to be given away by "alter table … owner to".'

/** Returns what a table has; undefined if it does not exist, or if that cannot be known. */
export async function partsOf(
  { collection }: OwnTable,
  engine: EngineInternals,
): Promise<TableParts | undefined> {
  const { catalogue } = engine.dialect
  const parts = catalogue?.partsOf?.(collection)
  const rows = parts ? await execute(engine, render(parts, engine.dialect), {}) : []
  if (!catalogue || rows.length === 0) return undefined
  const namesOf = (part: string) => rows.flatMap((row) => (row[1] === part ? [String(row[0])] : []))
  return { columns: new Set(namesOf('column').map(catalogue.sameName)), indexes: new Set(namesOf('index')) }
}

/** Returns what the database lacks that statements rely on: a table, or a unique index. Undefined if it lacks nothing, or if that cannot be known. */
export async function lackingIn(
  engine: EngineInternals,
  tables: readonly OwnTable[],
): Promise<string | undefined> {
  if (!engine.dialect.catalogue?.partsOf) return undefined
  for (const table of tables) {
    const parts = await partsOf(table, engine)
    const name = quote(table.collection.table)
    if (!parts) return `There is no table ${name}`
    const index = missingIndexes(table, parts).find(({ isUnique }) => isUnique)
    if (index) return `The table ${name} has no unique index of ${index.fields.map(quote).join(' and ')}`
  }
  return undefined
}

export function missingField(
  { collection }: OwnTable,
  { columns }: TableParts,
  { dialect }: EngineInternals,
): StoredField | undefined {
  const sameName = dialect.catalogue?.sameName ?? String
  return storedFieldsOf(collection).find(({ column }) => !columns.has(sameName(column)))
}

function requireColumns(table: OwnTable, parts: TableParts, engine: EngineInternals): void {
  const { collection } = table
  const missing = missingField(table, parts, engine)
  if (!missing) return
  throw fault(
    'INVALID_OPTIONS',
    `The table ${quote(collection.table)} has no column ${quote(missing.column)}, so it is none of the engine's.`,
    { hint: `Give the table of "${collection.name}" another name.` },
  )
}

/** Runs that wait for their time. */
export const isReady: FieldCondition = { field: 'state', isOneOf: ['ready'] }
/** Runs that a worker has. */
export const isRunning: FieldCondition = { field: 'state', isOneOf: ['running'] }
/** Runs that have not ended. */
export const isUnfinished: FieldCondition = { field: 'state', isOneOf: ['waiting', 'ready', 'running'] }

const has = (field: string): FieldCondition => ({ field, isNull: false })

export const runningIndex: OwnIndex = { fields: ['lease'], where: [isRunning] }
export const laneIndex: OwnIndex = { fields: ['flow', 'lane', 'number'], where: [isUnfinished, has('lane')] }
/** The index of the runs of lanes that have begun and not ended: few of very many. */
export const begunIndex: OwnIndex = {
  fields: ['flow', 'lane', 'number', 'started'],
  where: [isUnfinished, has('lane'), has('started')],
}

/** The index by which one run of a lane runs at a time: of two claims at once, neither of which sees the other, it refuses one. */
const runningLaneIndex: OwnIndex = {
  fields: ['flow', 'lane'],
  where: [isRunning, has('lane')],
  isUnique: true,
  // The first one keeps its lane. The others have their turn behind it, and their workers record nothing any more.
  before: (table, column) => {
    const isSame = sql.join(
      ['flow', 'lane'].map((field) => sql`o.${column(field)} = r.${column(field)}`),
      sql` and `,
    )
    const isBefore = sql`o.${column('state')} = 'running' and o.${column('number')} < r.${column('number')} and ${isSame}`
    const claims = sql`${column('state')} = 'ready', ${column('lease')} = null, ${column('token')} = ${column('token')} + 1`
    return sql`update ${table} as r set ${claims} where ${column('state')} = 'running' and exists (select 1 from ${table} as o where ${isBefore})`
  },
}

const indexes: readonly OwnIndex[] = [
  { fields: ['due', 'number'], where: [isReady] },
  { fields: ['flow', 'due', 'number'], where: [isReady] },
  runningIndex,
  laneIndex,
  begunIndex,
  runningLaneIndex,
  { fields: ['flow', 'tick'], where: [has('tick')], isUnique: true },
  { fields: ['request'], where: [has('request')], isUnique: true },
  { fields: ['ended'], where: [has('ended')] },
  { fields: ['parent'], where: [has('parent')] },
]

// A run goes on from what it has stored, as it would have from what it had in memory.
const ofFlows = { isStrict: true, keepsJson: true } as const

/** The engine's own tables. Absent parts are not in use. */
export const ownTables = ({
  versions,
  files,
  runs,
}: {
  readonly versions: Collection | undefined
  readonly files: Collection | undefined
  readonly runs: OwnRuns | undefined
}): readonly OwnTable[] => [
  ...(versions ? [{ collection: versions, unique: versionIdentity }] : []),
  ...(files ? [{ collection: files, unique: [] }] : []),
  ...(runs ? runTables(runs) : []),
]

const moment = { type: 'timestamp', storage: 'milliseconds' } as const

/** The workers of runs: a row each, with when it was seen, until when it is taken to live, and since when it tries a run alone. Workers alone read it,
 *  so it is no collection of the host's. */
export function workersOf(runs: Collection): Collection {
  const { collections } = link({
    workers: {
      table: nameOf({ fields: ['workers'] }, { collection: runs }),
      ...(runs.dbSchema !== undefined && { dbSchema: runs.dbSchema }),
      fields: {
        id: { type: 'uuid', key: true },
        seen: moment,
        until: moment,
        run: { type: 'uuid', nullable: true },
        since: moment,
      },
    },
  })
  const found = collections.get('workers')
  if (found) return found
  throw unreachable('a definition of one collection that has none')
}

export const runTables = ({ runs, steps, definitions }: OwnRuns): readonly OwnTable[] => [
  { collection: runs, unique: [], numberedBy: 'number', indexes, ...ofFlows },
  { collection: steps, unique: ['run', 'number'], numberedBy: 'id', ...ofFlows },
  { collection: definitions, unique: [], ...ofFlows },
  {
    collection: workersOf(runs),
    unique: [],
    indexes: [{ fields: ['run'], where: [has('run')] }],
    ...ofFlows,
  },
]
