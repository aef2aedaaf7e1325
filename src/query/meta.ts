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

export type MetaName = (typeof metaNames)[number]
