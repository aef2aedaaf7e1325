// What words do, in a sentence each. Apart from their tables, which browsers load.
import type { AggregateName } from './aggregates.ts'
import type { FunctionName } from './functions.ts'
import type { JunctionName, QuantifierName } from './junctions.ts'

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
