// What words do, in a sentence each. Apart from their tables, which browsers load.
import type { AggregateName } from './aggregates.ts'
import type { FunctionName } from './functions.ts'
import type { JunctionName, QuantifierName } from './junctions.ts'
import type { OperatorName } from './operators.ts'

export const functionDocs: Readonly<Record<FunctionName, string>> = {
  year: 'The year.',
  month: 'The month, 1 to 12.',
  week: 'The week by ISO 8601, 1 to 53.',
  day: 'The day of the month.',
  weekday: 'The day of the week, 0 = Sunday.',
  hour: 'The hour, 0 to 23.',
  minute: 'The minute.',
  second: 'The second.',
  count: 'The number of related items, or of elements of a JSON array (0 for any other JSON value).',
  json: 'The value at a path of a JSON field: `json(meta, size.w)`.',
}

export const aggregateDocs: Readonly<Record<AggregateName, string>> = {
  count: 'The number of rows, or of values.',
  countDistinct: 'The number of different values.',
  sum: 'The sum.',
  sumDistinct: 'The sum of the different values.',
  avg: 'The average.',
  avgDistinct: 'The average of the different values.',
  min: 'The smallest value.',
  max: 'The largest value.',
}

export const quantifierDocs: Readonly<Record<QuantifierName, string>> = {
  _some: 'At least one related item matches the filter. A filter without a quantifier means this.',
  _none: 'No related item matches the filter; true if there are none.',
}

export const junctionDocs: Readonly<Record<JunctionName, string>> = {
  _and: 'Every filter of the list matches. An empty list is no condition.',
  _or: 'At least one filter of the list matches. An empty list is refused.',
}

export const operatorDocs: Readonly<Record<OperatorName, string>> = {
  _eq: 'Equals.',
  _neq: 'Does not equal.',
  _lt: 'Is less than.',
  _lte: 'Is less than or equal to.',
  _gt: 'Is greater than.',
  _gte: 'Is greater than or equal to.',
  _in: 'Is one of a list. An empty list matches nothing.',
  _nin: 'Is none of a list. An empty list matches everything that has a value.',
  _null: 'Has no value.',
  _nnull: 'Has a value.',
  _contains: 'Contains the text, taken literally.',
  _ncontains: 'Does not contain the text.',
  _icontains: 'Contains the text, ignoring case.',
  _nicontains: 'Does not contain the text, ignoring case.',
  _starts_with: 'Starts with the text.',
  _nstarts_with: 'Does not start with the text.',
  _istarts_with: 'Starts with the text, ignoring case.',
  _nistarts_with: 'Does not start with the text, ignoring case.',
  _ends_with: 'Ends with the text.',
  _nends_with: 'Does not end with the text.',
  _iends_with: 'Ends with the text, ignoring case.',
  _niends_with: 'Does not end with the text, ignoring case.',
  _between: 'Lies between two values, or is one of them.',
  _nbetween: 'Lies outside two values.',
  _empty: "Has no value, or the falsy one of its type: `''`, `0`, `false`, `[]`, `{}`.",
  _nempty: 'Has a value that is not falsy.',
  _intersects: 'Shares a point with a GeoJSON geometry.',
  _nintersects: 'Shares no point with a GeoJSON geometry.',
  _intersects_bbox: "Its bounding box shares a point with the geometry's.",
  _nintersects_bbox: "Its bounding box shares no point with the geometry's.",
  _regex: 'Matches a regular expression. In validation and in memory only.',
}
