import type { HandlerOptions } from './handler-options.ts'
import type { Reply } from './messages.ts'

/** Adds headers for caches: a response depends on the caller, and on the time. Files set `Cache-Control` and `Vary` by themselves. */
export const withCacheHeaders = (
  outgoing: Reply,
  { vary = [] }: Pick<HandlerOptions, 'vary'>,
  varies: boolean,
): Reply => ({
  ...outgoing,
  headers: {
    'cache-control': 'private, no-cache',
    ...outgoing.headers,
    ...(varies && {
      vary: [
        ...identifying,
        ...vary,
        ...(outgoing.headers.vary === undefined ? [] : [outgoing.headers.vary]),
      ].join(', '),
    }),
  },
})

const identifying = ['Authorization', 'Cookie']
