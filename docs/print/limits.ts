// What is bounded unless somebody says otherwise.

import { oneGibibyte } from '../../src/engine/file-options.ts'
import { defaultAcquireTimeoutMs, defaultStreamIdleMs } from '../../src/engine/options.ts'
import { usualRowSize } from '../../src/flows/rows/flow-rows.ts'
import { mostOfRowMs } from '../../src/flows/run/run-start.ts'
import { mostDueOfFlow } from '../../src/flows/runs/due-counts.ts'
import { limitsOf } from '../../src/graphql/answer/graphql-limits.ts'
import { defaultMaxRequests } from '../../src/http/admission.ts'
import { oneMebibyte } from '../../src/http/request-body.ts'
import { defaultAssetLimits } from '../../src/images/image-limits.ts'
import { defaultLimits, type Limits } from '../../src/query/limits.ts'
import { feedSettings } from '../../src/realtime/feed/feed-options.ts'
import { socketSettings } from '../../src/realtime/socket/socket-settings.ts'
import { localSource } from '../../src/realtime.ts'
import { maxRounds } from '../../src/writes/update/update-rows.ts'
import { code, type Row, table } from './tables.ts'

/** Every limit of a query, for its page. */
export const limitsTable = (): string => table(['limit', 'default', 'bounds'], limitRows())

const limitDocs: Readonly<Record<keyof Limits, string>> = {
  queryText: 'the bytes of a query string',
  pairs: 'the `name=value` pairs of a query string',
  nesting: 'objects inside objects',
  filterLeaves: 'the conditions of one filter',
  listOperand:
    'the elements of one list behind an operator, and of items or keys that is written over HTTP or GraphQL',
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

/** The bounds of all doors, for the page about security. */
export const boundsTable = (): string => table(['what', 'default', 'set by'], [...boundRows(), ...doorRows()])

function boundRows(): Row[] {
  return [
    ['items of a list without `limit`', counted(defaultLimits.defaultLimit), '`limits.defaultLimit`'],
    ['items of any list', counted(defaultLimits.maxLimit), '`limits.maxLimit`'],
    ['rows below the items of an answer', counted(defaultLimits.nestedRows), '`limits.nestedRows`'],
    ['bytes of an answer', bytes(defaultLimits.answerBytes), '`limits.answerBytes`'],
    ['times that a list comes back to items it has changed', counted(maxRounds), '—'],
    [
      'items or keys that a call of HTTP or GraphQL writes',
      counted(defaultLimits.listOperand),
      '`limits.listOperand`',
    ],
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
  ]
}

/** The bounds of GraphQL, realtime and flows. */
function doorRows(): Row[] {
  const { tokens, roots, aliases, rows } = limitsOf()
  const feed = feedSettings({ source: localSource() }).limits
  const socket = socketSettings({ authenticate: () => null }, () => undefined).limits
  return [
    ['words and signs of a GraphQL document', counted(tokens), '`limits: { tokens }` of GraphQL'],
    [
      'fields at its root, and under other names in one selection',
      `${roots}, ${aliases}`,
      '`limits: { roots, aliases }`',
    ],
    ['rows that it could lead to', counted(rows), '`limits: { rows }`'],
    [
      'sockets, and those that say not who they are',
      `${counted(socket.sockets)}, ${counted(socket.unnamed)}`,
      '`limits: { sockets, unnamed }`',
    ],
    ['subscriptions of a socket', counted(socket.subscriptions), '`limits: { subscriptions }`'],
    ['a message of a socket', bytes(socket.messageBytes), '`limits: { messageBytes }`'],
    [
      'messages of a socket in a second, after a first burst',
      `${socket.messagesPerSecond}, ${socket.messages}`,
      '`limits: { messagesPerSecond, messages }`',
    ],
    [
      'subscriptions of a user, and of a feed',
      `${counted(feed.perUser)}, ${counted(feed.subscriptions)}`,
      '`limits: { perUser, subscriptions }` of `createFeed`',
    ],
    [
      'memory of the lists of one user, and of all',
      `${bytes(feed.callerBytes)}, ${bytes(feed.bytes)}`,
      '`limits: { callerBytes, bytes }`',
    ],
    ['what all connections have not taken', bytes(feed.unreadBytes), '`limits: { unreadBytes }`'],
    [
      'a row that is a flow',
      `${bytes(usualRowSize.bytes)}, ${counted(usualRowSize.conditions)} conditions`,
      '`limits` of `collectionFlows`',
    ],
    ['what such a row starts', seconds(mostOfRowMs), '—'],
    ['runs of one flow that are due', counted(mostDueOfFlow), '—'],
  ]
}

const seconds = (milliseconds: number): string => `${milliseconds / 1000} seconds`

function bytes(count: number): string {
  const steps = Math.floor(Math.log2(count) / 10)
  return `${count / 1024 ** steps} ${['bytes', 'KiB', 'MiB', 'GiB'][steps]}`
}
