import { signs } from '../../dialects/comparison-signs.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import { inCalendar, numberingOf } from '../../dialects/numbered-moments.ts'
import type { Column, DatePart, GeoPhrases, Sign, Slot } from '../../dialects/phrase-types.ts'
import { type Sql, sql } from '../../dialects/sql.ts'
import { sqlite as plain } from '../../dialects/sqlite.ts'
import type { Operand } from '../../types/family-row.ts'
import { type Decimal, decimalText } from '../../values/decimal.ts'
import type { Zone } from '../../values/zone.ts'

const geo: GeoPhrases = {
  same: spatial(sql`quernel_same`),
  intersects: spatial(sql`quernel_intersects`),
  boundsIntersect: spatial(sql`quernel_bounds_intersect`),
}

/** Dialect of SQLite on connections with our functions.
 *  @example import { SqliteDialect } from 'kysely'
 *
 *  const equipped = new Kysely({ dialect: new SqliteDialect({ database: equipDatabase(database) }) })
 *  const northern = createEngine({ db: equipped, schema, dialect: sqlite, timezone: 'Europe/Oslo' }) */
export const sqlite: Dialect = {
  ...plain,
  compare: (column, sign, slot) => {
    if (column.type.family === 'geometry') return geo.same(column, slot)
    return isExactText(column) ? compareExactly(column, sign, slot) : plain.compare(column, sign, slot)
  },
  among: (column, list) => {
    if (!isExactText(column)) return plain.among(column, list)
    const texts = list((operands) => JSON.stringify(operands.map(plainDigits)))
    return sql`quernel_decimal(${column.sql}) in (select value from json_each(${texts}))`
  },
  datePart: (part, column, zone) => {
    const isNamed = zone.kind === 'named' && column.type.family === 'timestamp'
    return isNamed ? namedPart(part, column, zone) : plain.datePart(part, column, zone)
  },
  sum: (column, isDistinct) => {
    const { type, family } = column.type
    if (type !== 'bigInteger' && family !== 'decimal') return plain.sum(column, isDistinct)
    const text = sql`quernel_sum(${isDistinct ? sql`distinct ` : sql``}cast(${column.sql} as text))`
    return {
      ...column,
      sql: text,
      type: { ...column.type, type: 'decimal', family: 'decimal', storage: 'text' },
    }
  },
  shown: (column) =>
    isExactText(column) ? { ...column, sql: sql`quernel_decimal(${column.sql})` } : plain.shown(column),
  extreme: (which, column) =>
    isExactText(column)
      ? { ...column, sql: sql`${which === 'min' ? sql`quernel_min` : sql`quernel_max`}(${column.sql})` }
      : plain.extreme(which, column),
  namedZones: true,
  geo,
}

function spatial(name: Sql) {
  return (column: Column, geometry: Slot<Operand>): Sql =>
    sql`${name}(${column.sql}, ${geometry(({ at }) => JSON.stringify(at))})`
}

const isExactText = ({ type }: Column) => type.family === 'decimal' && type.storage === 'text'
const plainDigits = ({ at }: Operand) => decimalText(at as Decimal) // only decimals come here

const compareExactly = (column: Column, sign: Sign, slot: Slot<Operand>) =>
  sql`quernel_compare(${column.sql}, ${slot(plainDigits)}) ${signs[sign]} 0`

function namedPart(
  part: DatePart,
  { sql: column, type }: Column,
  zone: Extract<Zone, { kind: 'named' }>,
): Sql {
  const numbering = numberingOf(type)
  // Parts are no finer than a second, so fractions are cut off.
  const seconds = numbering
    ? sql`floor((${inCalendar(column, numbering)}) / ${sql.lit(1_000 / numbering.unit)}.0)`
    : sql`strftime('%s', ${column})`
  return sql`quernel_part(${sql.lit(part)}, ${seconds}, ${sql.lit(zone.name)})`
}
