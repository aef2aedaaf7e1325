import { Problems } from '../../errors/problems.ts'
import type { PlainQuery } from '../../query/query.ts'

/** Refuses unsupported parameters, which must not be ignored. */
export function refuseUnsupported(query: PlainQuery, kind: keyof typeof refused): void {
  const problems = new Problems('INVALID_QUERY')
  for (const [name, says] of Object.entries(refused[kind]))
    if (Object.hasOwn(query, name)) problems.add([name], says)
  if (query.versionRaw && query.version === undefined) problems.add(['versionRaw'], 'It needs a "version".')
  problems.throwIfAny()
}

const noExport = 'It is a list that becomes a file, by exportItems of quernel/export.'
const noCursors = 'A stream is read to its end; a cursor is for the pages of a list.'
const noPages = 'There is one item, which makes no list.'
const noVersions = 'Only a single item has versions.'
const list = { export: noExport, version: noVersions, versionRaw: noVersions }
/** Parameters that a kind of request does not support, and the reason. */
export const refused = {
  list,
  stream: {
    ...list,
    after: noCursors,
    before: noCursors,
    meta: 'A stream ends before anything is known of the whole.',
  },
  single: {
    export: noExport,
    sort: noPages,
    limit: noPages,
    offset: noPages,
    page: noPages,
    after: noPages,
    before: noPages,
  },
} as const
