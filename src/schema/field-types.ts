/** The behaviour of a type's values: their operators, their comparison, their storage in databases. */
export type Family =
  | 'integer'
  | 'float'
  | 'decimal'
  | 'text'
  | 'csv'
  | 'uuid'
  | 'boolean'
  | 'date'
  | 'time'
  | 'dateTime'
  | 'timestamp'
  | 'json'
  | 'hash'
  | 'binary'
  | 'geometry'

interface FieldTypeRow {
  readonly family: Family
  readonly doc: string
  /** The only geometry type of the column; absent = any. */
  readonly shape?: string
}

/** All scalar field types of a schema. */
export const fieldTypes = {
  integer: {
    family: 'integer',
    doc: 'A whole number of 32 bits, or up to 2^53 - 1 with `wide: true`, as a JavaScript number.',
  },
  bigInteger: { family: 'integer', doc: 'A whole number of up to 64 bits, as text, exact.' },
  float: { family: 'float', doc: 'A floating-point number.' },
  decimal: { family: 'decimal', doc: "An exact number, as text with the field's `scale`." },
  string: { family: 'text', doc: 'Short text.' },
  text: { family: 'text', doc: 'Long text.' },
  uuid: { family: 'uuid', doc: 'A UUID, as lower-case text.' },
  boolean: { family: 'boolean', doc: 'true or false.' },
  date: { family: 'date', doc: 'A day: `2024-02-29`.' },
  time: { family: 'time', doc: 'A time of day: `08:30:00`.' },
  dateTime: { family: 'dateTime', doc: 'A day and a time without a zone: `2024-02-29T08:30:00`.' },
  timestamp: { family: 'timestamp', doc: 'A moment, in UTC: `2024-02-29T08:30:00.000Z`.' },
  json: { family: 'json', doc: 'Any JSON value.' },
  csv: { family: 'csv', doc: 'A list of texts, stored as comma-separated text.' },
  hash: { family: 'hash', doc: 'A one-way hash; always shown as `**********`.' },
  binary: { family: 'binary', doc: 'Bytes, as base64 text.' },
  geometry: { family: 'geometry', doc: 'Any GeoJSON geometry.' },
  'geometry.Point': { family: 'geometry', shape: 'Point', doc: 'A GeoJSON Point.' },
  'geometry.LineString': { family: 'geometry', shape: 'LineString', doc: 'A GeoJSON LineString.' },
  'geometry.Polygon': { family: 'geometry', shape: 'Polygon', doc: 'A GeoJSON Polygon.' },
  'geometry.MultiPoint': { family: 'geometry', shape: 'MultiPoint', doc: 'A GeoJSON MultiPoint.' },
  'geometry.MultiLineString': {
    family: 'geometry',
    shape: 'MultiLineString',
    doc: 'A GeoJSON MultiLineString.',
  },
  'geometry.MultiPolygon': { family: 'geometry', shape: 'MultiPolygon', doc: 'A GeoJSON MultiPolygon.' },
} as const satisfies Record<string, FieldTypeRow>

export type FieldType = keyof typeof fieldTypes

/** Storage formats of a date, a time or a timestamp; absent = the database's usual one. `mixed` = text, of
 *  which some is stored as bytes. */
export const storages = ['text', 'seconds', 'milliseconds', 'native', 'mixed'] as const
export type ColumnStorage = (typeof storages)[number]

export const isTemporal = (family: Family): boolean =>
  family === 'date' || family === 'time' || family === 'dateTime' || family === 'timestamp'
