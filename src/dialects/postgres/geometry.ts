import type { Operand } from '../../types/family-row.ts'
import type { GeoPhrases } from '../dialect.ts'
import type { Column, Slot } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'

/** Geometry by PostGIS. */
export const geo: GeoPhrases = {
  same: (column, slot) =>
    sql`ST_OrderingEquals(ST_Force2D(${column.sql}), ST_Force2D(${geometry(column, slot)}))`,
  intersects: (column, slot) => sql`ST_Intersects(${column.sql}, ${geometry(column, slot)})`,
  // The operator && rounds its boxes to single precision, so it would include neighbours.
  boundsIntersect: (column, slot) =>
    sql`ST_Intersects(ST_Envelope(${column.sql}), ST_Envelope(${geometry(column, slot)}))`,
}

/** PostGIS refuses to compare across spatial references. Only with a known one can an index be used. */
function geometry({ sql: column, type }: Column, slot: Slot<Operand>): Sql {
  const reference = type.srid === undefined ? sql`ST_SRID(${column})` : sql.lit(type.srid)
  return sql`ST_SetSRID(ST_GeomFromGeoJSON(${slot(({ at }) => JSON.stringify(at))}), ${reference})`
}
