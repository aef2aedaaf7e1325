// Keys of several parts, what refers to them, and collections without a key.
import { casesOf, invalid, items, list, one, refused } from './case.ts'
import { loud, ware } from './key-collections.ts'

const lines = (query: object = {}) => list('lines', { fields: ['order', 'ware'], ...query })
const parcels = (filter: object, more: object = {}) => list('parcels', { fields: ['id'], filter, ...more })
const orders = (query: Readonly<Record<string, unknown>>) => list('orders', query)
const ids = (...keys: readonly number[]) => items(...keys.map((id) => ({ id })))
/** The lines of the data, by their keys. */
const tea1 = [1, ware(1)]
const salt1 = [1, ware(2)]
const tea2 = [2, ware(1)]
const pan2 = [2, loud]
const shown = (...keys: readonly (readonly unknown[])[]) =>
  items(...keys.map(([order, code]) => ({ order, ware: code })))
const low = [1, '2.5', '2024-01-01T00:00:00.000Z'] as const
const high = [1, '10.0', '2024-01-01T00:00:00.000Z'] as const
const noKey = {
  code: 'INVALID_PAYLOAD' as const,
  message: '"visits" has no key.',
  hint: 'Its items can be listed, and nothing else.',
}
const missing = { code: 'NOT_FOUND' as const, message: 'There is no such item, or you may not see it.' }
const works = 'it takes _eq, _neq, _in, _nin, _null, _nnull, _empty, _nempty.'

export const keyCases = casesOf({
  // Shown
  'an item with a key of several parts is shown by its parts, and what refers to it by a list of them': [
    list('parcels', {}),
    items(
      { id: 1, order_no: 1, ware_code: ware(1), line: tea1, weight: 10 },
      { id: 2, order_no: 1, ware_code: ware(1), line: tea1, weight: 20 },
      { id: 3, order_no: 2, ware_code: loud, line: pan2, weight: null },
      { id: 4, order_no: 1, ware_code: null, line: null, weight: 5 },
      { id: 5, order_no: null, ware_code: ware(1), line: null, weight: 5 },
      { id: 6, order_no: 9, ware_code: ware(2), line: [9, ware(2)], weight: 1 },
    ),
  ],
  'lists of children with keys of several parts hold lists of them': [
    orders({ fields: ['id', 'lines', 'wares'] }),
    items(
      { id: 1, lines: [tea1, salt1], wares: [tea1, salt1] },
      { id: 2, lines: [tea2, pan2], wares: [tea2, pan2] },
      { id: 10, lines: [], wares: [] },
    ),
  ],
  'fields behind a reference of several parts are null where it leads nowhere': [
    parcels({}, { fields: ['id', 'line.amount', 'line.ware.name'] }),
    items(
      { id: 1, line: { amount: null, ware: { name: 'Tea' } } },
      { id: 2, line: { amount: null, ware: { name: 'Tea' } } },
      { id: 3, line: { amount: 5, ware: { name: 'Pan' } } },
      { id: 4, line: null },
      { id: 5, line: null },
      { id: 6, line: null },
    ),
  ],
  'a star behind a reference of several parts stands for the fields of its target': [
    parcels({ id: 3 }, { fields: ['line.*'] }),
    items({ line: { amount: 5, order: 2, ware: loud, parcels: [3], tags: [['2', loud, '', '2024-03-01']] } }),
  ],
  'two stars lead through keys of several parts and back': [
    list('lines', { fields: ['*.*'], filter: { order: 1, ware: ware(2) } }),
    items({
      amount: 5,
      order: { id: 1, buyer: 'Ada', lines: [tea1, salt1], wares: [tea1, salt1] },
      ware: { code: ware(2), name: 'Salt', lines: [salt1] },
      parcels: [],
      tags: [],
    }),
  ],
  'the columns of a junction without a key of its own are reached': [
    list('lines', { fields: ['tags.place', 'tags.tag.label'], filter: { order: 1 } }),
    items(
      {
        tags: [
          { place: 1, tag: { label: 'quote' } },
          { place: 2, tag: { label: 'comma' } },
        ],
      },
      { tags: [] },
    ),
  ],
  'an alias shows a key of several parts under another name': [
    parcels({ id: 1 }, { alias: { where: 'line' }, fields: ['where'] }),
    items({ where: tea1 }),
  ],
  'numbers of 64 bits and dates in a key are shown as such': [
    list('taggings', { fields: ['line', 'tag'], limit: 1, sort: ['-order_id'] }),
    items({ line: ['9007199254740993', ware(1)], tag: ['x', '2024-03-01'] }),
  ],
  // One item
  'an item is read by the list of the parts of its key': [
    one('lines', pan2 as [number, string], { fields: ['amount', 'parcels'] }),
    { amount: 5, parcels: [3] },
  ],
  'an item is read by a key with parts of any type': [
    one('taggings', ['9007199254740993', ware(1), 'x', '2024-03-01'], { fields: ['place'] }),
    { place: 1 },
  ],
  'no item has a key whose parts are not all there': [one('lines', [1, ware(7)]), refused(missing)],
  'no item has a key with fewer parts': [one('lines', [1]), refused(missing)],
  'no item has a key of one part where there are several': [one('lines', 1), refused(missing)],
  'no item with a key of one field has one of several parts': [one('orders', [1, 2]), refused(missing)],
  'numbers in a key have one form': [one('lines', ['01', ware(1)]), refused(missing)],
  // Order and pages
  'lists end their order with all parts of the key': [lines(), shown(tea1, salt1, tea2, pan2)],
  'the parts of the key come in the direction of the last sort key': [
    lines({ sort: ['-amount'] }),
    shown(tea1, pan2, salt1, tea2),
  ],
  'a part of the key that is sorted by is not sorted by again': [
    lines({ sort: ['-ware.name', 'order'] }),
    shown(tea1, tea2, salt1, pan2),
  ],
  'sorting by a reference of several parts sorts by each of them, null last': [
    parcels({}, { sort: ['line', '-id'] }),
    ids(2, 1, 4, 3, 6, 5),
  ],
  'sorting by fields behind a reference of several parts': [
    parcels({}, { sort: ['-line.amount', 'id'] }),
    ids(1, 2, 4, 5, 6, 3),
  ],
  'sorting by several keys of several parts is refused': [
    orders({ fields: ['id'], sort: ['lines'] }),
    refused(
      invalid(
        ['sort'],
        '"lines" has keys of several parts; say which one to sort by.',
        'Write "lines.order".',
      ),
    ),
  ],
  'sorting by a field of many items with keys of several parts': [
    orders({ fields: ['id'], sort: ['-lines.amount'] }),
    ids(10, 2, 1),
  ],
  'pages of items with keys of several parts follow each other': [
    lines({ limit: 2, page: 2, sort: ['order'] }),
    shown(tea2, pan2),
  ],
  'a page at a large offset of items with keys of several parts is empty': [
    lines({ offset: 5_000 }),
    items(),
  ],
  'pages, orders and filters of children with keys of several parts': [
    orders({
      fields: ['id', 'lines.ware.name'],
      deep: { lines: { _limit: 1, _sort: '-amount', _filter: { amount: { _nnull: true } } } },
    }),
    items(
      { id: 1, lines: [{ ware: { name: 'Salt' } }] },
      { id: 2, lines: [{ ware: { name: 'Pan' } }] },
      { id: 10, lines: [] },
    ),
  ],
  'meta counts items with keys of several parts': [
    lines({ filter: { parcels: { _some: {} } }, meta: ['total_count', 'filter_count'] }),
    { ...shown(tea1, pan2), meta: { total_count: 4, filter_count: 2 } },
  ],
  // Filters
  '_eq of a key of several parts': [parcels({ line: { _eq: tea1 } }), ids(1, 2)],
  '_eq reads numbers as text, and UUIDs in any case': [
    parcels({ line: { _eq: ['2', loud.toUpperCase()] } }),
    ids(3),
  ],
  '_eq reads a key of several parts from its text': [
    parcels({ line: { _eq: `[1,"${ware(1)}"]` } }),
    ids(1, 2),
  ],
  '_neq keeps out what refers to nothing': [parcels({ line: { _neq: tea1 } }), ids(3, 6)],
  '_neq includes what refers to nothing where the engine is set so': [
    parcels({ line: { _neq: tea1 } }),
    ids(3, 4, 5, 6),
    { engine: { negationMatchesNull: true } },
  ],
  '_in takes a list of keys of several parts': [parcels({ line: { _in: [tea1, pan2] } }), ids(1, 2, 3)],
  '_in pairs the parts as they are given': [
    parcels({
      line: {
        _in: [
          [1, loud],
          [2, ware(1)],
        ],
      },
    }),
    ids(),
  ],
  '_in with an empty list matches nothing': [parcels({ line: { _in: [] } }), ids()],
  '_nin with keys of several parts': [parcels({ line: { _nin: [tea1, pan2] } }), ids(6)],
  '_nin with an empty list matches what refers to something': [
    parcels({ line: { _nin: [] } }),
    ids(1, 2, 3, 6),
  ],
  '_null of a reference of several parts: one part is null': [parcels({ line: { _null: true } }), ids(4, 5)],
  '_nnull of a reference of several parts: all are there': [
    parcels({ line: { _nnull: true } }),
    ids(1, 2, 3, 6),
  ],
  'null for a reference of several parts': [parcels({ line: null }), ids(4, 5)],
  'a key with a fraction is that of no item': [parcels({ line: { _eq: [1.5, ware(1)] } }), ids()],
  'a key with a fraction differs from all': [parcels({ line: { _neq: [1.5, ware(1)] } }), ids(1, 2, 3, 6)],
  'a key beyond all numbers is that of no item': [
    parcels({ line: { _in: [['99999999999999999999', ware(1)]] } }),
    ids(),
  ],
  '_in with a bare key of several parts is refused, and shows how lists of them look': [
    parcels({ line: { _in: [1, 2] } }),
    refused(
      invalid(['filter', 'line', '_in', 0], '"_in" takes a list of keys such as [[1, 2]] here, not 1.'),
    ),
  ],
  'a single value for a key of several parts is refused': [
    parcels({ line: 1 }),
    refused(invalid(['filter', 'line', '_eq'], '"_eq" takes a key of 2 parts such as [1, 2] here, not 1.')),
  ],
  'a key of too many parts is refused': [
    parcels({ line: { _eq: [1, ware(1), 3] } }),
    refused(
      invalid(
        ['filter', 'line', '_eq'],
        '"_eq" takes a key of 2 parts such as [1, 2] here, not a list of 3.',
      ),
    ),
  ],
  'a part of a key that is no value of its type is refused': [
    parcels({ line: { _eq: [1, 'tea'] } }),
    refused(
      invalid(
        ['filter', 'line', '_eq'],
        '"_eq" takes a key of 2 parts such as [1, 2] here, not a list of 2.',
      ),
    ),
  ],
  'null in a key of several parts is refused': [
    parcels({ line: { _eq: [1, null] } }),
    refused(
      invalid(['filter', 'line', '_eq', 1], '"_eq" takes no null in its list; ask for "_null" beside it.'),
    ),
  ],
  'operators that do not work on keys of several parts are refused with those that do': [
    parcels({ line: { _gt: [1, ware(1)] } }),
    refused(invalid(['filter', 'line', '_gt'], `"_gt" does not work on "line" (m2o); ${works}`)),
  ],
  'operators that do not work on keys of several parts are refused behind a to-many relation': [
    orders({ filter: { lines: { _gt: tea1 } } }),
    refused(invalid(['filter', 'lines', '_gt'], `"_gt" does not work on the key of "lines"; ${works}`)),
  ],
  'a part of a key that is a variable without a value denies': [
    parcels({ _or: [{ line: { _neq: ['$CURRENT_USER', ware(1)] } }, { id: 4 }] }),
    ids(4),
  ],
  'a part of a key that is a variable with a mistake is refused': [
    parcels({ line: { _eq: [1, '$NOW(soon)'] } }),
    refused(
      invalid(
        ['filter', 'line', '_eq', 1],
        '"_eq" cannot use this variable: $NOW(…) takes a distance such as -1 year or +2 hours.',
      ),
    ),
  ],
  '_between keys of several parts is refused': [
    parcels({ line: { _between: [tea1, pan2] } }),
    refused(invalid(['filter', 'line', '_between'], `"_between" does not work on "line" (m2o); ${works}`)),
  ],
  'a list for a field of one value is refused': [
    parcels({ weight: { _eq: [1, 2] } }),
    refused(invalid(['filter', 'weight', '_eq'], '"_eq" takes a whole number here, not a list of 2.')),
  ],
  'conditions behind a reference of several parts': [parcels({ line: { amount: { _gte: 5 } } }), ids(3)],
  'a reference of several parts that leads nowhere is read as null': [
    parcels({ line: { amount: null } }),
    ids(1, 2, 4, 5, 6),
  ],
  'conditions on a reference of several parts and behind it': [
    parcels({ line: { _neq: pan2, ware: { name: 'Tea' } } }),
    ids(1, 2),
  ],
  'conditions on children that refer by several parts': [
    lines({ filter: { parcels: { weight: { _gt: 15 } } } }),
    shown(tea1),
  ],
  '_none of children that refer by several parts': [
    lines({ filter: { parcels: { _none: {} } } }),
    shown(salt1, tea2),
  ],
  'operators behind a to-many relation test a key of several parts': [
    orders({ fields: ['id'], filter: { lines: { _eq: salt1 } } }),
    ids(1),
  ],
  'a list of keys of several parts behind a to-many relation': [
    orders({ fields: ['id'], filter: { lines: { _in: [tea2, salt1] } } }),
    ids(1, 2),
  ],
  '$FOLLOW leads over a reference of several parts': [
    lines({ filter: { '$FOLLOW(parcels, line)': { weight: { _lt: 15 } } } }),
    shown(tea1),
  ],
  'a junction of two keys of several parts leads on': [
    lines({ filter: { tags: { tag: { label: 'quote' } } } }),
    shown(tea1),
  ],
  'a path over several references of several parts': [
    list('seals', { fields: ['label'], filter: { taggings: { line: { order: { buyer: 'Bob' } } } } }),
    items({ label: null }),
  ],
  'dates in keys of several parts are compared as dates': [
    list('taggings', {
      fields: ['place'],
      filter: {
        tag: {
          _in: [
            ['"', '2024-02-29T00:00:00Z'],
            ['x', '2024-03-02'],
          ],
        },
      },
    }),
    items({ place: 1 }),
  ],
  'numbers of 64 bits in keys of several parts are compared exactly': [
    list('taggings', { fields: ['place'], filter: { line: { _eq: ['9007199254740992', ware(1)] } } }),
    items(),
  ],
  'empty texts in keys of several parts are values': [
    list('taggings', { fields: ['place'], filter: { tag: { _eq: ['', '2024-03-01'] } } }),
    items({ place: null }),
  ],
  // Functions, aggregates and groups
  'count of children that refer by several parts': [
    lines({ fields: ['count(parcels)'], sort: ['-count(parcels)'] }),
    items({ parcels_count: 2 }, { parcels_count: 1 }, { parcels_count: 0 }, { parcels_count: 0 }),
  ],
  'count of a reference of several parts counts those that refer to something': [
    list('parcels', { aggregate: { count: ['*', 'line'] } }),
    items({ count: { '*': 6, line: 4 } }),
  ],
  'groups by fields behind a reference of several parts': [
    list('parcels', { groupBy: ['line.amount'], aggregate: { sum: ['weight'] } }),
    items({ line: { amount: 5 }, sum: { weight: null } }, { line: { amount: null }, sum: { weight: 41 } }),
  ],
  'groups by a reference of several parts are refused with its fields': [
    list('parcels', { groupBy: ['line'] }),
    refused(
      invalid(
        ['groupBy'],
        '"line" is of type m2o, by which nothing can be grouped.',
        'Group by "order_no", "ware_code".',
      ),
    ),
  ],
  'groups of children that refer by several parts': [
    lines({
      fields: ['parcels'],
      deep: { parcels: { _aggregate: { sum: 'weight' } } },
      filter: { order: 1 },
    }),
    items({ parcels: [{ sum: { weight: 30 } }] }, { parcels: [{ sum: { weight: null } }] }),
  ],
  // Any
  'a reference to any collection holds a key of several parts as its JSON': [
    list('remarks', { fields: ['id', 'thing:lines.amount', 'thing:seals.label', 'thing:orders.buyer'] }),
    items(
      { id: 1, thing: { amount: null } },
      { id: 2, thing: { label: 'quote' } },
      { id: 3, thing: { buyer: 'Ada' } },
      { id: 4, thing: null },
      { id: 5, thing: null },
      { id: 6, thing: null },
    ),
  ],
  'a bare reference to any collection shows a key of several parts as a list': [
    list('remarks', { fields: ['thing:lines', 'thing:orders.id'], filter: { id: { _in: [1, 3, 5] } } }),
    items({ thing: tea1 }, { thing: { id: 1 } }, { thing: 'none' }),
  ],
  'conditions on items behind a reference to any collection, with keys of several parts': [
    list('remarks', { fields: ['id'], filter: { 'thing:seals': { kind: '"' } } }),
    ids(2),
  ],
  '$FOLLOW leads back over a reference to any collection to keys of several parts': [
    lines({ filter: { '$FOLLOW(remarks, thing, about)': { id: { _lt: 9 } } } }),
    shown(tea1),
  ],
  // Without a key
  'items without a key are listed in the order of all columns that can be ordered': [
    list('visits', { fields: ['at', 'word', 'order'] }),
    items(
      { at: '2024-01-01T00:00:00.000Z', word: 'a', order: 1 },
      { at: '2024-01-01T00:00:00.000Z', word: 'a', order: 1 },
      { at: '2024-01-01T00:00:00.000Z', word: null, order: 2 },
      { at: '2024-01-02T00:00:00.000Z', word: 'b', order: 1 },
    ),
  ],
  'items without a key are filtered, sorted and paged': [
    list('visits', {
      fields: ['word', 'order.buyer'],
      filter: { word: { _nnull: true } },
      sort: ['-word'],
      limit: 2,
    }),
    items({ word: 'b', order: { buyer: 'Ada' } }, { word: 'a', order: { buyer: 'Ada' } }),
  ],
  'items without a key that are alike are all shown, wherever a page ends': [
    list('visits', { fields: ['word'], limit: 1, offset: 1 }),
    items({ word: 'a' }),
  ],
  'a page at a large offset of items without a key is empty': [list('visits', { offset: 5_000 }), items()],
  'items without a key are counted': [
    list('visits', { fields: ['word'], filter: { order: 2 }, meta: '*' }),
    {
      ...items({ word: null }),
      meta: { total_count: 4, filter_count: 1, limit: 100, offset: 0, page: 1, page_count: 1, truncated: [] },
    },
  ],
  'items without a key make groups': [
    list('visits', { groupBy: ['word'], aggregate: { count: ['*'] } }),
    items({ word: 'a', count: 2 }, { word: 'b', count: 1 }, { word: null, count: 1 }),
  ],
  'a star leaves out lists of items without a key': [
    one('orders', 2, { fields: ['*'] }),
    { id: 2, buyer: 'Bob', lines: [tea2, pan2], wares: [tea2, pan2] },
  ],
  'a star shows lists of items without a key where they are groups': [
    one('orders', 2, { fields: ['*'], deep: { visits: { _aggregate: { count: '*' } } } }),
    { id: 2, buyer: 'Bob', lines: [tea2, pan2], wares: [tea2, pan2], visits: [{ count: 1 }] },
  ],
  'two stars show lists of items without a key as items': [
    one('orders', 2, { fields: ['visits.*'] }),
    { visits: [{ at: '2024-01-01T00:00:00.000Z', word: null, order: 2, paper: null }] },
  ],
  'a list of items without a key has no keys to show': [
    one('orders', 2, { fields: ['visits'] }),
    refused(
      invalid(
        ['fields'],
        '"visits" has no keys to show, because "visits" has none.',
        'Write "visits.*", or name the fields.',
      ),
    ),
  ],
  'children without a key are paged': [
    orders({ fields: ['visits.word'], deep: { visits: { _limit: 1, _sort: '-word' } }, filter: { id: 1 } }),
    items({ visits: [{ word: 'b' }] }),
  ],
  'conditions on children without a key': [
    orders({ fields: ['id'], filter: { visits: { word: { _null: true } } } }),
    ids(2),
  ],
  'an item without a key is not read by one': [one('visits', 1), refused(noKey)],
  // Types whose values are no plain columns
  'decimals and moments in keys of several parts are shown as such': [
    list('bills', { fields: ['id', 'stay'] }),
    items({ id: 1, stay: low }, { id: 2, stay: high }, { id: 3, stay: high }, { id: 4, stay: null }),
  ],
  'decimals and moments in keys of several parts are compared by what they are worth': [
    list('bills', { fields: ['id'], filter: { stay: { _eq: ['1', 10, '2024-01-01T01:00:00+01:00'] } } }),
    ids(2, 3),
  ],
  'a list of keys of several parts takes decimals and moments in any form': [
    list('bills', {
      fields: ['id'],
      filter: {
        stay: {
          _in: [
            [1, '2.50', '2024-01-01T01:00:00+01:00'],
            [1.5, 10, low[2]],
            [2, 2.5, '2024-01-02'],
          ],
        },
      },
    }),
    ids(1),
  ],
  'a list that excludes keys of several parts takes decimals and moments in any form': [
    list('bills', { fields: ['id'], filter: { stay: { _nin: [[1, '10', '2024-01-01T01:00:00+01:00']] } } }),
    ids(1),
  ],
  'children by keys with decimals and moments are found': [
    list('stays', { fields: ['guest', 'bills', 'count(bills)'] }),
    items(
      { guest: 'Ada', bills: [1], bills_count: 1 },
      { guest: 'Bob', bills: [2, 3], bills_count: 2 },
      { guest: null, bills: [], bills_count: 0 },
    ),
  ],
  'an item is read by a key with a decimal and a moment': [
    one('stays', high, { fields: ['guest', 'bills.stay.guest'] }),
    { guest: 'Bob', bills: [{ stay: { guest: 'Bob' } }, { stay: { guest: 'Bob' } }] },
  ],
  // Nothing to order by
  'items without a key, or anything that can be ordered, are listed': [
    list('leaves'),
    items({ paper: { x: [1] } }, { paper: { x: [1] } }),
  ],
  'items without a key, or anything that can be ordered, have pages all the same': [
    list('leaves', { limit: 1, offset: 1, meta: ['total_count'] }),
    { ...items({ paper: { x: [1] } }), meta: { total_count: 2 } },
  ],
})
