// What is bounded unless somebody says otherwise.

import { oneGibibyte } from '../../src/engine/file-options.ts'
import { defaultAcquireTimeoutMs, defaultStreamIdleMs } from '../../src/engine/options.ts'
import { defaultMaxRequests } from '../../src/http/admission.ts'
import { oneMebibyte } from '../../src/http/request-body.ts'
import { defaultAssetLimits } from '../../src/images/image-limits.ts'
import { defaultLimits, type Limits } from '../../src/query/limits.ts'
import { code, type Row, table } from './tables.ts'

/** Every limit of a query, for its page. */
export const limitsTable = (): string => table(['limit', 'default', 'bounds'], limitRows())

const limitDocs: Readonly<Record<keyof Limits, string>> = {
  queryText: 'the bytes of a query string',
  pairs: 'the `name=value` pairs of a query string',
  nesting: 'objects inside objects',
  filterLeaves: 'the conditions of one filter',
  listOperand: 'the elements of one list behind an operator',
  textOperand: 'the bytes of one text behind an operator, and of `search`',
  searchOperand: 'the characters of `search`, and of a text behind an operator that ignores case',
  relationDepth: 'the relations on one path: in a filter, in a name with dots, in `deep`',
  expandedFields: 'the fields of a result, those of wildcards included',
  nestedRows: 'the rows of a result below its items; bare keys count a tenth',
  answerBytes: 'the bytes of one answer; streams and exports have no such bound',
  sorts: 'the names in `sort`',
  groups: 'the names in `groupBy`',
  aggregates: 'the fields in `aggregate`',
  aliases: 'the names in `alias`',
  defaultLimit: 'the items of a list without a `limit`',
  maxLimit: 'the items of any list; `limit: -1` is as many',
}

const limitRows = (): Row[] =>
  Object.entries(defaultLimits).map(([name, limit]) => [
    code(name),
    counted(limit),
    // The keys of the limits are those of their descriptions.
    limitDocs[name as keyof Limits],
  ])

const counted = (limit: number): string => (Number.isFinite(limit) ? limit.toLocaleString('en') : 'none')

/** The bounds that most people meet first. */
export const boundsTable = (): string =>
  table(
    ['what', 'default', 'set by'],
    [
      ['items of a list without `limit`', counted(defaultLimits.defaultLimit), '`limits.defaultLimit`'],
      ['items of any list', counted(defaultLimits.maxLimit), '`limits.maxLimit`'],
      ['conditions in a filter', counted(defaultLimits.filterLeaves), '`limits.filterLeaves`'],
      ['relations on one path', counted(defaultLimits.relationDepth), '`limits.relationDepth`'],
      ['a query string', bytes(defaultLimits.queryText), '`limits.queryText`'],
      ['waiting for a connection', seconds(defaultAcquireTimeoutMs), '`acquireTimeoutMs`'],
      ['a statement', 'no limit', '`timeoutMs`'],
      ['streams and exports that hold a connection', 'half of the pool', '`maxStreams`'],
      ['a pause of the reader of an export', seconds(defaultStreamIdleMs), '`streamIdleMs`'],
      ['requests at work at once', String(defaultMaxRequests), '`maxRequests` of `createHandler`'],
      ['the body of a request', bytes(oneMebibyte), '`bodyLimit` of `createHandler`'],
      ['a file', bytes(oneGibibyte), '`files.maxBytes`'],
      [
        'the longer side of a picture',
        `${counted(defaultAssetLimits.outputSide)} pixels`,
        '`assets.limits.outputSide`',
      ],
    ],
  )

const seconds = (milliseconds: number): string => `${milliseconds / 1000} seconds`

function bytes(count: number): string {
  const steps = Math.floor(Math.log2(count) / 10)
  return `${count / 1024 ** steps} ${['bytes', 'KiB', 'MiB', 'GiB'][steps]}`
}
