/** What a list can be asked to tell about itself. */
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
