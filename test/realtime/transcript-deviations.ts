// What sockets hear of this service, where it decides otherwise than the one that was recorded.

interface Deviation {
  /** Why it is so. */
  readonly because: string
  /** Frames without the texts of errors. */
  readonly heard: readonly unknown[]
}

export const transcriptDeviations: Readonly<Record<string, Deviation>> = {
  'subscribe: event sort': {
    because: 'All errors carry the uid, if it is one.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscribe', status: 'error', uid: 'e', error: 'INVALID_PAYLOAD' },
    ],
  },
  'subscribe: unknown event': {
    because: 'All errors carry the uid, if it is one.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscribe', status: 'error', uid: 'e', error: 'INVALID_PAYLOAD' },
    ],
  },
  'subscribe: without collection': {
    because: 'All errors carry the uid, if it is one.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscribe', status: 'error', uid: 'e', error: 'INVALID_PAYLOAD' },
    ],
  },
  'subscribe: no access, event create, something is created': {
    because: 'What is not seen is refused at once, and not at the first change.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscribe', status: 'error', uid: 'e', error: 'FORBIDDEN' },
    ],
  },
  'subscribe: no access, event delete, something is deleted': {
    because: 'What is not seen is refused, and its deletions are told to nobody.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscribe', status: 'error', uid: 'e', error: 'FORBIDDEN' },
    ],
  },
  'subscribe: users collection, update': {
    because: 'The rows are those of another copy of the database.',
    heard: [
      { type: 'auth', status: 'ok' },
      {
        type: 'subscription',
        event: 'init',
        data: [{ email: 'admin@example.com', first_name: 'Admin' }],
        uid: 'f',
      },
      {
        type: 'subscription',
        event: 'update',
        data: [{ email: 'admin@example.com', first_name: 'Ada' }],
        uid: 'f',
      },
    ],
  },
  'events: an update without change': {
    because: 'An update of nothing writes nothing, and says nothing.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscription', event: 'init', data: [{ id: 1, name: 'news' }], uid: 'x' },
      { type: 'subscription', event: 'create', data: [{ id: 909, name: 'a' }], uid: 'x' },
      { type: 'subscription', event: 'update', data: [{ id: 909, name: 'a' }], uid: 'x' },
    ],
  },
  'events: an item outside of the filter is deleted': {
    because: 'Deletions obey rules and filters.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscription', event: 'init', data: [], uid: 'x' },
    ],
  },
  'events: offset in the query': {
    because: 'Limit and offset shape the first frame only.',
    heard: [
      { type: 'auth', status: 'ok' },
      {
        type: 'subscription',
        event: 'init',
        data: [
          { id: 2, name: 'tech' },
          { id: 3, name: 'life' },
          { id: 4, name: 'unused' },
        ],
        uid: 'x',
      },
      { type: 'subscription', event: 'create', data: [{ id: 918, name: 'off' }], uid: 'x' },
    ],
  },
  'events: batch create': {
    because: 'One commit is one frame, with all of its items.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscription', event: 'init', data: [{ id: 1, name: 'news' }], uid: 'x' },
      {
        type: 'subscription',
        event: 'create',
        data: [
          { id: 919, name: 'a' },
          { id: 920, name: 'b' },
        ],
        uid: 'x',
      },
    ],
  },
  'events: batch update of partial items': {
    because: 'One commit is one frame, with all of its items.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscription', event: 'init', data: [{ id: 1, name: 'news' }], uid: 'x' },
      {
        type: 'subscription',
        event: 'update',
        data: [
          { id: 925, name: 'p' },
          { id: 926, name: 'q' },
        ],
        uid: 'x',
      },
    ],
  },
  'events: a change of a related item is not a change of the parent': {
    because: 'Items are told that look otherwise now, whatever has changed.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscription', event: 'init', data: [{ id: 1, author: { name: 'Ada' } }], uid: 'art' },
      {
        type: 'subscription',
        event: 'update',
        data: [
          { id: 1, author: { name: 'Renamed' } },
          { id: 2, author: { name: 'Renamed' } },
        ],
        uid: 'art',
      },
    ],
  },
  'events: aggregate query': {
    because: 'Aggregates are told whole, and mean what they mean in a list.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscription', event: 'init', data: [{ count: 4 }], uid: 'agg' },
      { type: 'subscription', event: 'update', data: [{ count: 5 }], uid: 'agg' },
      { type: 'subscription', event: 'update', data: [{ count: 4 }], uid: 'agg' },
    ],
  },
  'events: groupBy query': {
    because: 'Aggregates are told whole, and groups stand in the order of a list.',
    heard: [
      { type: 'auth', status: 'ok' },
      {
        type: 'subscription',
        event: 'init',
        data: [
          { status: 'archived', count: { id: 1 } },
          { status: 'draft', count: { id: 1 } },
          { status: 'published', count: { id: 3 } },
          { status: null, count: { id: 1 } },
        ],
        uid: 'agg',
      },
      {
        type: 'subscription',
        event: 'update',
        data: [
          { status: 'archived', count: { id: 1 } },
          { status: 'draft', count: { id: 2 } },
          { status: 'published', count: { id: 3 } },
          { status: null, count: { id: 1 } },
        ],
        uid: 'agg',
      },
    ],
  },
  'item: text key': {
    because: 'All changes of an item are told, whatever request they are of.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscription', event: 'init', data: { id: 3, name: 'life' }, uid: 'i' },
      { type: 'subscription', event: 'update', data: { id: 3, name: 'three a' }, uid: 'i' },
      { type: 'subscription', event: 'update', data: { id: 3, name: 'three b' }, uid: 'i' },
      { type: 'subscription', event: 'update', data: { id: 3, name: 'three c' }, uid: 'i' },
    ],
  },
  'item: null': {
    because: 'All errors carry the uid, if it is one.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscribe', status: 'error', uid: 'i', error: 'INVALID_PAYLOAD' },
    ],
  },
  'permission taken away while subscribed': {
    because: 'A client of the installed base ends all its lists at an error that answers nothing.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'subscription', event: 'init', data: [{ id: 1, name: 'news' }], uid: 'a' },
      { type: 'subscription', event: 'create', data: [{ id: 944, name: 'n944' }], uid: 'a' },
      { type: 'subscription', event: 'init', data: [], reset: 'access', uid: 'a' },
    ],
  },
  'items: create without data': {
    because: 'The rows are those of another copy of the database.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'items', data: { id: 5, name: null, articles: [] }, uid: 1 },
    ],
  },
  'items: update one, ids, by query, batch': {
    because: 'An update by a query answers with the items that it has changed.',
    heard: [
      { type: 'auth', status: 'ok' },
      {
        type: 'items',
        data: [
          { id: 953, name: 'x', articles: [] },
          { id: 954, name: 'x', articles: [] },
        ],
        uid: 0,
      },
      { type: 'items', data: { id: 953, name: 'y', articles: [] }, uid: 1 },
      {
        type: 'items',
        data: [
          { id: 953, name: 'z', articles: [] },
          { id: 954, name: 'z', articles: [] },
        ],
        uid: 2,
      },
      {
        type: 'items',
        data: [
          { id: 953, name: 'w', articles: [] },
          { id: 954, name: 'w', articles: [] },
        ],
        uid: 3,
      },
      {
        type: 'items',
        data: [
          { id: 953, name: 'b1', articles: [] },
          { id: 954, name: 'b2', articles: [] },
        ],
        uid: 4,
      },
    ],
  },
  'items: update without a selector': {
    because: 'Nothing is done to all items by leaving something out.',
    heard: [
      { type: 'auth', status: 'ok' },
      { type: 'items', data: [], uid: 1 },
      { type: 'items', status: 'error', uid: 2, error: 'INVALID_PAYLOAD' },
    ],
  },
  'items: delete id, ids, by query, nothing': {
    because: 'An item that is not there is said, as over HTTP.',
    heard: [
      { type: 'auth', status: 'ok' },
      {
        type: 'items',
        data: [
          { id: 955, name: 'dd', articles: [] },
          { id: 956, name: 'dd', articles: [] },
          { id: 957, name: 'dd', articles: [] },
        ],
        uid: 0,
      },
      { type: 'items', data: '955', uid: 1 },
      { type: 'items', data: [956], uid: 2 },
      { type: 'items', data: [957], uid: 3 },
      { type: 'items', status: 'error', uid: 4, error: 'INVALID_PAYLOAD' },
      { type: 'items', status: 'error', uid: 5, error: 'FORBIDDEN' },
    ],
  },
  'strict: failed auth later': {
    because: 'A socket that is closed says why: 1008.',
    heard: [{ type: 'auth', status: 'error', uid: 3, error: 'AUTH_FAILED' }, { closed: 1008 }],
  },
}
