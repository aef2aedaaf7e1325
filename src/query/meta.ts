/** Metadata that can be requested with a list. */
export const metaNames = [
  'total_count',
  'filter_count',
  'limit',
  'offset',
  'page',
  'page_count',
  'truncated',
] as const

/** All that can be requested. Cursors are in no wildcard: not every list has them. */
export const metaWords: readonly string[] = ['*', ...metaNames, 'cursors']

export type MetaName = (typeof metaNames)[number] | 'cursors'
