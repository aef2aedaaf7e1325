// The engine under test, as the harness calls it.
import * as library from '../../src/index.ts'
import type { PlainQuery } from '../../src/query/query.ts'
import type { OpenDatabase } from '../support/databases.ts'
import type { Row, World } from './dataset.ts'
import type { Answer } from './evaluate.ts'

interface Verbs {
  readonly listItems: (engine: library.Engine, collection: string, query: object) => Promise<Answer>
  readonly listItemsJson: (engine: library.Engine, collection: string, query: object) => Promise<string>
  readonly getItem: (engine: library.Engine, collection: string, key: unknown, query: object) => Promise<Row>
}

// The worlds' collections are known at run time only, so the verbs are seen without their types.
const verbs = library as unknown as Verbs

export interface Tested {
  readonly list: (collection: string, query: PlainQuery) => Promise<Answer>
  readonly listJson: (collection: string, query: PlainQuery) => Promise<string>
  readonly get: (collection: string, key: unknown, query: PlainQuery) => Promise<Row>
}

/** True if a question is larger than the database takes in one statement: its bound of fields is raised here, so that one may be. */
export const isTooLarge = (error: unknown): boolean =>
  library.isEngineError(error) &&
  error.code === 'INVALID_QUERY' &&
  error.message === 'This is more than the database takes in one statement.'

/** `access`: whose engine it is. Absent = the host's. */
export function engineOf(
  db: OpenDatabase['db'],
  world: World,
  access?: library.Access<library.Schema>,
): Tested {
  const whole = engineFor(db, world)
  const engine = access ? whole.as(access) : whole
  return {
    list: (collection, query) => verbs.listItems(engine, collection, query),
    listJson: (collection, query) => verbs.listItemsJson(engine, collection, query),
    get: (collection, key, query) => verbs.getItem(engine, collection, key, query),
  }
}

/** The host's engine of a world. */
export function engineFor(db: OpenDatabase['db'], world: World): library.Engine {
  const schema: library.Schema = library.defineSchema<library.SchemaDefinition>(world.definition)
  // Wildcards of three levels name many fields here.
  return library.createEngine({
    db,
    schema,
    // The oracle knows no bound of rows below the items.
    limits: { expandedFields: 1_000_000, nestedRows: 1_000_000_000, ...world.limits },
    // A busy machine is no reason to differ.
    acquireTimeoutMs: 600_000,
  })
}
