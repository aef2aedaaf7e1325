// Sentences on the types of fields and on variables, which only documents need.
import type { FieldType } from '../../src/types/families.ts'
import type { VariableName } from '../../src/vocabulary/variables.ts'

export const fieldTypeSentences: Readonly<Record<FieldType, string>> = {
  integer: 'A whole number of 32 bits, or up to 2^53 - 1 with `wide: true`, as a JavaScript number.',
  bigInteger: 'A whole number of up to 64 bits, as text, exact.',
  float: 'A floating-point number.',
  decimal: "An exact number, as text with the field's `scale`.",
  string: 'Short text.',
  text: 'Long text.',
  uuid: 'A UUID, as lower-case text.',
  boolean: 'true or false.',
  date: 'A day: `2024-02-29`.',
  timestamp: 'A timestamp, in UTC: `2024-02-29T08:30:00.000Z`.',
  dateTime: 'A day and a time without a zone: `2024-02-29T08:30:00`.',
  time: 'A time of day: `08:30:00`.',
  json: 'Any JSON value.',
  csv: 'A list of texts, stored as comma-separated text.',
  hash: 'A one-way hash; always shown as `**********`.',
  binary: "Bytes, as text in the field's `encoding`: base64, or hexadecimal digits.",
  geometry: 'Any GeoJSON geometry.',
  'geometry.Point': 'A GeoJSON Point.',
  'geometry.LineString': 'A GeoJSON LineString.',
  'geometry.Polygon': 'A GeoJSON Polygon.',
  'geometry.MultiPoint': 'A GeoJSON MultiPoint.',
  'geometry.MultiLineString': 'A GeoJSON MultiLineString.',
  'geometry.MultiPolygon': 'A GeoJSON MultiPolygon.',
  other: 'A value of the type that `databaseType` names, such as `inet`, as text.',
  opaque: 'The same for a type whose values have no equality, such as `xml` or `point`.',
}

export const variableSentences: Readonly<Record<VariableName, string>> = {
  $NOW: 'The current time; `$NOW(-1 year)` shifts it, by y mo w d h m s ms or their long names.',
  $CURRENT_USER: 'The key of the current user.',
  $CURRENT_ROLE: "The key of that user's role.",
  $CURRENT_ROLES: "The keys of that user's roles, for lists.",
  $CURRENT_POLICIES: "The keys of that user's policies, for lists.",
  $TEXT: 'The text in parentheses.',
}
