import type { Kysely } from 'kysely'
import { type DialectName, dialectOf } from './dialects/detect.ts'
import type { Dialect } from './dialects/dialect.ts'
import { fault, quote } from './errors.ts'
import { checkValidations } from './plan/validations.ts'
import { type Limits, limitsWith } from './query/limits.ts'
import type { Schema } from './schema/model.ts'
import { readZone, utc, type Zone } from './values/zone.ts'

export interface EngineOptions<S extends Schema> {
  /** The host's own Kysely instance, whatever its tables are called there. */
  // biome-ignore lint/suspicious/noExplicitAny: Kysely is invariant in its tables, and the engine names none of them.
  readonly db: Kysely<any>
  readonly schema: S
  /** Left out, it is found by looking at `db`. */
  readonly dialect?: DialectName | Dialect
  readonly limits?: Partial<Limits>
  /** The zone of `year()` and the like for timestamps: UTC, an offset such as +02:00, or a name where the database knows names. */
  readonly timezone?: string
  readonly clock?: () => Date
  /** Compare and sort text by code points instead of by the database's collation. */
  readonly collation?: 'codepoint'
  /** Let negated operators match rows without a value. */
  readonly negationMatchesNull?: boolean
}

/** What every verb works on: a database, its description, and how words are meant there. */
export interface Engine<S extends Schema = Schema> {
  // biome-ignore lint/suspicious/noExplicitAny: see EngineOptions.
  readonly db: Kysely<any>
  readonly schema: S
  readonly dialect: Dialect
  readonly limits: Limits
  readonly zone: Zone
  readonly clock: () => Date
  readonly byCodePoint: boolean
  readonly negationMatchesNull: boolean
}

/** Ties a schema to a database.
 *  @example const engine = createEngine({ db, schema }) */
export function createEngine<S extends Schema>(options: EngineOptions<S>): Engine<S> {
  const { db, schema, timezone, collation } = options
  if (!(schema.collections instanceof Map)) {
    throw fault('INVALID_OPTIONS', 'The schema is what defineSchema returns, not what it is given.', {
      path: ['schema'],
    })
  }
  const dialect = dialectOf(options.dialect, db)
  checkValidations(schema)
  if (collation !== undefined && collation !== 'codepoint') {
    throw fault('INVALID_OPTIONS', `The collation is "codepoint" or left out, not ${quote(collation)}.`, {
      path: ['collation'],
    })
  }
  return Object.freeze({
    // The host's plugins rewrite names and results; what the engine asks and answers must not depend on them.
    db: db.withoutPlugins(),
    schema,
    dialect,
    limits: limitsWith(options.limits),
    zone: timezone === undefined ? utc : zoneFor(timezone, dialect),
    clock: options.clock ?? (() => new Date()),
    byCodePoint: collation === 'codepoint',
    negationMatchesNull: options.negationMatchesNull ?? false,
  })
}

function zoneFor(text: string, dialect: Dialect): Zone {
  const zone = readZone(text)
  if (!zone) {
    const hint = 'Write UTC, an offset such as +02:00, or a name such as Europe/Oslo.'
    throw fault('INVALID_OPTIONS', `There is no time zone ${quote(text)}.`, { path: ['timezone'], hint })
  }
  if (zone.kind === 'named' && !dialect.namedZones) {
    const hint = 'Give an offset such as +02:00, or open the database with quernel/sqlite.'
    throw fault(
      'INVALID_OPTIONS',
      `This database knows no time zones by name, so it cannot use ${quote(text)}.`,
      { path: ['timezone'], hint },
    )
  }
  return zone
}
