// Keys of several parts, what refers to them, and collections without a key.
import { invalid, items, list, one, type ReadCase, refused } from './case.ts'
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

export const keyCases: readonly ReadCase[] = [
  // Shown
  {
    title:
      'an item with a key of several parts is shown by its parts, and what refers to it by a list of them',
    call: list('parcels', {}),
    expect: items(
      { id: 1, order_no: 1, ware_code: ware(1), line: tea1, weight: 10 },
      { id: 2, order_no: 1, ware_code: ware(1), line: tea1, weight: 20 },
      { id: 3, order_no: 2, ware_code: loud, line: pan2, weight: null },
      { id: 4, order_no: 1, ware_code: null, line: null, weight: 5 },
      { id: 5, order_no: null, ware_code: ware(1), line: null, weight: 5 },
      { id: 6, order_no: 9, ware_code: ware(2), line: [9, ware(2)], weight: 1 },
    ),
  },
  {
    title: 'lists of children with keys of several parts hold lists of them',
    call: orders({ fields: ['id', 'lines', 'wares'] }),
    expect: items(
      { id: 1, lines: [tea1, salt1], wares: [tea1, salt1] },
      { id: 2, lines: [tea2, pan2], wares: [tea2, pan2] },
      { id: 10, lines: [], wares: [] },
    ),
  },
  {
    title: 'fields behind a reference of several parts are null where it leads nowhere',
    call: parcels({}, { fields: ['id', 'line.amount', 'line.ware.name'] }),
    expect: items(
      { id: 1, line: { amount: null, ware: { name: 'Tea' } } },
      { id: 2, line: { amount: null, ware: { name: 'Tea' } } },
      { id: 3, line: { amount: 5, ware: { name: 'Pan' } } },
      { id: 4, line: null },
      { id: 5, line: null },
      { id: 6, line: null },
    ),
  },
  {
    title: 'a star behind a reference of several parts stands for the fields of its target',
    call: parcels({ id: 3 }, { fields: ['line.*'] }),
    expect: items({
      line: { amount: 5, order: 2, ware: loud, parcels: [3], tags: [['2', loud, '', '2024-03-01']] },
    }),
  },
  {
    title: 'two stars lead through keys of several parts and back',
    call: list('lines', { fields: ['*.*'], filter: { order: 1, ware: ware(2) } }),
    expect: items({
      amount: 5,
      order: { id: 1, buyer: 'Ada', lines: [tea1, salt1], wares: [tea1, salt1] },
      ware: { code: ware(2), name: 'Salt', lines: [salt1] },
      parcels: [],
      tags: [],
    }),
  },
  {
    title: 'the columns of a junction without a key of its own are reached',
    call: list('lines', { fields: ['tags.place', 'tags.tag.label'], filter: { order: 1 } }),
    expect: items(
      {
        tags: [
          { place: 1, tag: { label: 'quote' } },
          { place: 2, tag: { label: 'comma' } },
        ],
      },
      { tags: [] },
    ),
  },
  {
    title: 'an alias shows a key of several parts under another name',
    call: parcels({ id: 1 }, { alias: { where: 'line' }, fields: ['where'] }),
    expect: items({ where: tea1 }),
  },
  {
    title: 'numbers of 64 bits and dates in a key are shown as such',
    call: list('taggings', { fields: ['line', 'tag'], limit: 1, sort: ['-order_id'] }),
    expect: items({ line: ['9007199254740993', ware(1)], tag: ['x', '2024-03-01'] }),
  },
  // One item
  {
    title: 'an item is read by the list of the parts of its key',
    call: one('lines', pan2 as [number, string], { fields: ['amount', 'parcels'] }),
    expect: { amount: 5, parcels: [3] },
  },
  {
    title: 'an item is read by a key with parts of any type',
    call: one('taggings', ['9007199254740993', ware(1), 'x', '2024-03-01'], { fields: ['place'] }),
    expect: { place: 1 },
  },
  {
    title: 'no item has a key whose parts are not all there',
    call: one('lines', [1, ware(7)]),
    expect: refused(missing),
  },
  {
    title: 'no item has a key with fewer parts',
    call: one('lines', [1]),
    expect: refused(missing),
  },
  {
    title: 'no item has a key of one part where there are several',
    call: one('lines', 1),
    expect: refused(missing),
  },
  {
    title: 'no item with a key of one field has one of several parts',
    call: one('orders', [1, 2]),
    expect: refused(missing),
  },
  {
    title: 'numbers in a key have one form',
    call: one('lines', ['01', ware(1)]),
    expect: refused(missing),
  },
  // Order and pages
  {
    title: 'lists end their order with all parts of the key',
    call: lines(),
    expect: shown(tea1, salt1, tea2, pan2),
  },
  {
    title: 'the parts of the key come in the direction of the last sort key',
    call: lines({ sort: ['-amount'] }),
    expect: shown(tea1, pan2, salt1, tea2),
  },
  {
    title: 'a part of the key that is sorted by is not sorted by again',
    call: lines({ sort: ['-ware.name', 'order'] }),
    expect: shown(tea1, tea2, salt1, pan2),
  },
  {
    title: 'sorting by a reference of several parts sorts by each of them, null last',
    call: parcels({}, { sort: ['line', '-id'] }),
    expect: ids(2, 1, 4, 3, 6, 5),
  },
  {
    title: 'sorting by fields behind a reference of several parts',
    call: parcels({}, { sort: ['-line.amount', 'id'] }),
    expect: ids(1, 2, 4, 5, 6, 3),
  },
  {
    title: 'sorting by several keys of several parts is refused',
    call: orders({ fields: ['id'], sort: ['lines'] }),
    expect: refused(
      invalid(
        ['sort'],
        '"lines" has keys of several parts; say which one to sort by.',
        'Write "lines.order".',
      ),
    ),
  },
  {
    title: 'sorting by a field of many items with keys of several parts',
    call: orders({ fields: ['id'], sort: ['-lines.amount'] }),
    expect: ids(10, 2, 1),
  },
  {
    title: 'pages of items with keys of several parts follow each other',
    call: lines({ limit: 2, page: 2, sort: ['order'] }),
    expect: shown(tea2, pan2),
  },
  {
    title: 'a page at a large offset of items with keys of several parts is empty',
    call: lines({ offset: 5_000 }),
    expect: items(),
  },
  {
    title: 'pages, orders and filters of children with keys of several parts',
    call: orders({
      fields: ['id', 'lines.ware.name'],
      deep: { lines: { _limit: 1, _sort: '-amount', _filter: { amount: { _nnull: true } } } },
    }),
    expect: items(
      { id: 1, lines: [{ ware: { name: 'Salt' } }] },
      { id: 2, lines: [{ ware: { name: 'Pan' } }] },
      { id: 10, lines: [] },
    ),
  },
  {
    title: 'meta counts items with keys of several parts',
    call: lines({ filter: { parcels: { _some: {} } }, meta: ['total_count', 'filter_count'] }),
    expect: { ...shown(tea1, pan2), meta: { total_count: 4, filter_count: 2 } },
  },
  // Filters
  { title: '_eq of a key of several parts', call: parcels({ line: { _eq: tea1 } }), expect: ids(1, 2) },
  {
    title: '_eq reads numbers as text, and UUIDs in any case',
    call: parcels({ line: { _eq: ['2', loud.toUpperCase()] } }),
    expect: ids(3),
  },
  {
    title: '_eq reads a key of several parts from its text',
    call: parcels({ line: { _eq: `[1,"${ware(1)}"]` } }),
    expect: ids(1, 2),
  },
  {
    title: '_neq keeps out what refers to nothing',
    call: parcels({ line: { _neq: tea1 } }),
    expect: ids(3, 6),
  },
  {
    title: '_neq includes what refers to nothing where the engine is set so',
    call: parcels({ line: { _neq: tea1 } }),
    engine: { negationMatchesNull: true },
    expect: ids(3, 4, 5, 6),
  },
  {
    title: '_in takes a list of keys of several parts',
    call: parcels({ line: { _in: [tea1, pan2] } }),
    expect: ids(1, 2, 3),
  },
  {
    title: '_in pairs the parts as they are given',
    call: parcels({
      line: {
        _in: [
          [1, loud],
          [2, ware(1)],
        ],
      },
    }),
    expect: ids(),
  },
  { title: '_in with an empty list matches nothing', call: parcels({ line: { _in: [] } }), expect: ids() },
  {
    title: '_nin with keys of several parts',
    call: parcels({ line: { _nin: [tea1, pan2] } }),
    expect: ids(6),
  },
  {
    title: '_nin with an empty list matches what refers to something',
    call: parcels({ line: { _nin: [] } }),
    expect: ids(1, 2, 3, 6),
  },
  {
    title: '_null of a reference of several parts: one part is null',
    call: parcels({ line: { _null: true } }),
    expect: ids(4, 5),
  },
  {
    title: '_nnull of a reference of several parts: all are there',
    call: parcels({ line: { _nnull: true } }),
    expect: ids(1, 2, 3, 6),
  },
  { title: 'null for a reference of several parts', call: parcels({ line: null }), expect: ids(4, 5) },
  {
    title: 'a key with a fraction is that of no item',
    call: parcels({ line: { _eq: [1.5, ware(1)] } }),
    expect: ids(),
  },
  {
    title: 'a key with a fraction differs from all',
    call: parcels({ line: { _neq: [1.5, ware(1)] } }),
    expect: ids(1, 2, 3, 6),
  },
  {
    title: 'a key beyond all numbers is that of no item',
    call: parcels({ line: { _in: [['99999999999999999999', ware(1)]] } }),
    expect: ids(),
  },
  {
    title: '_in with a bare key of several parts is refused, and shows how lists of them look',
    call: parcels({ line: { _in: [1, 2] } }),
    expect: refused(
      invalid(['filter', 'line', '_in', 0], '"_in" takes a list of keys such as [[1, 2]] here, not 1.'),
    ),
  },
  {
    title: 'a single value for a key of several parts is refused',
    call: parcels({ line: 1 }),
    expect: refused(
      invalid(['filter', 'line', '_eq'], '"_eq" takes a key of 2 parts such as [1, 2] here, not 1.'),
    ),
  },
  {
    title: 'a key of too many parts is refused',
    call: parcels({ line: { _eq: [1, ware(1), 3] } }),
    expect: refused(
      invalid(
        ['filter', 'line', '_eq'],
        '"_eq" takes a key of 2 parts such as [1, 2] here, not a list of 3.',
      ),
    ),
  },
  {
    title: 'a part of a key that is no value of its type is refused',
    call: parcels({ line: { _eq: [1, 'tea'] } }),
    expect: refused(
      invalid(
        ['filter', 'line', '_eq'],
        '"_eq" takes a key of 2 parts such as [1, 2] here, not a list of 2.',
      ),
    ),
  },
  {
    title: 'null in a key of several parts is refused',
    call: parcels({ line: { _eq: [1, null] } }),
    expect: refused(
      invalid(['filter', 'line', '_eq', 1], '"_eq" takes no null in its list; ask for "_null" beside it.'),
    ),
  },
  {
    title: 'operators that do not work on keys of several parts are refused with those that do',
    call: parcels({ line: { _gt: [1, ware(1)] } }),
    expect: refused(invalid(['filter', 'line', '_gt'], `"_gt" does not work on "line" (m2o); ${works}`)),
  },
  {
    title: 'operators that do not work on keys of several parts are refused behind a to-many relation',
    call: orders({ filter: { lines: { _gt: tea1 } } }),
    expect: refused(
      invalid(['filter', 'lines', '_gt'], `"_gt" does not work on the key of "lines"; ${works}`),
    ),
  },
  {
    title: 'a part of a key that is a variable without a value denies',
    call: parcels({ _or: [{ line: { _neq: ['$CURRENT_USER', ware(1)] } }, { id: 4 }] }),
    expect: ids(4),
  },
  {
    title: 'a part of a key that is a variable with a mistake is refused',
    call: parcels({ line: { _eq: [1, '$NOW(soon)'] } }),
    expect: refused(
      invalid(
        ['filter', 'line', '_eq', 1],
        '"_eq" cannot use this variable: $NOW(…) takes a distance such as -1 year or +2 hours.',
      ),
    ),
  },
  {
    title: '_between keys of several parts is refused',
    call: parcels({ line: { _between: [tea1, pan2] } }),
    expect: refused(
      invalid(['filter', 'line', '_between'], `"_between" does not work on "line" (m2o); ${works}`),
    ),
  },
  {
    title: 'a list for a field of one value is refused',
    call: parcels({ weight: { _eq: [1, 2] } }),
    expect: refused(
      invalid(['filter', 'weight', '_eq'], '"_eq" takes a whole number here, not a list of 2.'),
    ),
  },
  {
    title: 'conditions behind a reference of several parts',
    call: parcels({ line: { amount: { _gte: 5 } } }),
    expect: ids(3),
  },
  {
    title: 'a reference of several parts that leads nowhere is read as null',
    call: parcels({ line: { amount: null } }),
    expect: ids(1, 2, 4, 5, 6),
  },
  {
    title: 'conditions on a reference of several parts and behind it',
    call: parcels({ line: { _neq: pan2, ware: { name: 'Tea' } } }),
    expect: ids(1, 2),
  },
  {
    title: 'conditions on children that refer by several parts',
    call: lines({ filter: { parcels: { weight: { _gt: 15 } } } }),
    expect: shown(tea1),
  },
  {
    title: '_none of children that refer by several parts',
    call: lines({ filter: { parcels: { _none: {} } } }),
    expect: shown(salt1, tea2),
  },
  {
    title: 'operators behind a to-many relation test a key of several parts',
    call: orders({ fields: ['id'], filter: { lines: { _eq: salt1 } } }),
    expect: ids(1),
  },
  {
    title: 'a list of keys of several parts behind a to-many relation',
    call: orders({ fields: ['id'], filter: { lines: { _in: [tea2, salt1] } } }),
    expect: ids(1, 2),
  },
  {
    title: '$FOLLOW leads over a reference of several parts',
    call: lines({ filter: { '$FOLLOW(parcels, line)': { weight: { _lt: 15 } } } }),
    expect: shown(tea1),
  },
  {
    title: 'a junction of two keys of several parts leads on',
    call: lines({ filter: { tags: { tag: { label: 'quote' } } } }),
    expect: shown(tea1),
  },
  {
    title: 'a path over several references of several parts',
    call: list('seals', { fields: ['label'], filter: { taggings: { line: { order: { buyer: 'Bob' } } } } }),
    expect: items({ label: null }),
  },
  {
    title: 'dates in keys of several parts are compared as dates',
    call: list('taggings', {
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
    expect: items({ place: 1 }),
  },
  {
    title: 'numbers of 64 bits in keys of several parts are compared exactly',
    call: list('taggings', { fields: ['place'], filter: { line: { _eq: ['9007199254740992', ware(1)] } } }),
    expect: items(),
  },
  {
    title: 'empty texts in keys of several parts are values',
    call: list('taggings', { fields: ['place'], filter: { tag: { _eq: ['', '2024-03-01'] } } }),
    expect: items({ place: null }),
  },
  // Functions, aggregates and groups
  {
    title: 'count of children that refer by several parts',
    call: lines({ fields: ['count(parcels)'], sort: ['-count(parcels)'] }),
    expect: items({ parcels_count: 2 }, { parcels_count: 1 }, { parcels_count: 0 }, { parcels_count: 0 }),
  },
  {
    title: 'count of a reference of several parts counts those that refer to something',
    call: list('parcels', { aggregate: { count: ['*', 'line'] } }),
    expect: items({ count: { '*': 6, line: 4 } }),
  },
  {
    title: 'groups by fields behind a reference of several parts',
    call: list('parcels', { groupBy: ['line.amount'], aggregate: { sum: ['weight'] } }),
    expect: items(
      { line: { amount: 5 }, sum: { weight: null } },
      { line: { amount: null }, sum: { weight: 41 } },
    ),
  },
  {
    title: 'groups by a reference of several parts are refused with its fields',
    call: list('parcels', { groupBy: ['line'] }),
    expect: refused(
      invalid(
        ['groupBy'],
        '"line" is of type m2o, by which nothing can be grouped.',
        'Group by "order_no", "ware_code".',
      ),
    ),
  },
  {
    title: 'groups of children that refer by several parts',
    call: lines({
      fields: ['parcels'],
      deep: { parcels: { _aggregate: { sum: 'weight' } } },
      filter: { order: 1 },
    }),
    expect: items({ parcels: [{ sum: { weight: 30 } }] }, { parcels: [{ sum: { weight: null } }] }),
  },
  // Any
  {
    title: 'a reference to any collection holds a key of several parts as its JSON',
    call: list('remarks', {
      fields: ['id', 'thing:lines.amount', 'thing:seals.label', 'thing:orders.buyer'],
    }),
    expect: items(
      { id: 1, thing: { amount: null } },
      { id: 2, thing: { label: 'quote' } },
      { id: 3, thing: { buyer: 'Ada' } },
      { id: 4, thing: null },
      { id: 5, thing: null },
      { id: 6, thing: null },
    ),
  },
  {
    title: 'a bare reference to any collection shows a key of several parts as a list',
    call: list('remarks', { fields: ['thing:lines', 'thing:orders.id'], filter: { id: { _in: [1, 3, 5] } } }),
    expect: items({ thing: tea1 }, { thing: { id: 1 } }, { thing: 'none' }),
  },
  {
    title: 'conditions on items behind a reference to any collection, with keys of several parts',
    call: list('remarks', { fields: ['id'], filter: { 'thing:seals': { kind: '"' } } }),
    expect: ids(2),
  },
  {
    title: '$FOLLOW leads back over a reference to any collection to keys of several parts',
    call: lines({ filter: { '$FOLLOW(remarks, thing, about)': { id: { _lt: 9 } } } }),
    expect: shown(tea1),
  },
  // Without a key
  {
    title: 'items without a key are listed in the order of all columns that can be ordered',
    call: list('visits', { fields: ['at', 'word', 'order'] }),
    expect: items(
      { at: '2024-01-01T00:00:00.000Z', word: 'a', order: 1 },
      { at: '2024-01-01T00:00:00.000Z', word: 'a', order: 1 },
      { at: '2024-01-01T00:00:00.000Z', word: null, order: 2 },
      { at: '2024-01-02T00:00:00.000Z', word: 'b', order: 1 },
    ),
  },
  {
    title: 'items without a key are filtered, sorted and paged',
    call: list('visits', {
      fields: ['word', 'order.buyer'],
      filter: { word: { _nnull: true } },
      sort: ['-word'],
      limit: 2,
    }),
    expect: items({ word: 'b', order: { buyer: 'Ada' } }, { word: 'a', order: { buyer: 'Ada' } }),
  },
  {
    title: 'items without a key that are alike are all shown, wherever a page ends',
    call: list('visits', { fields: ['word'], limit: 1, offset: 1 }),
    expect: items({ word: 'a' }),
  },
  {
    title: 'a page at a large offset of items without a key is empty',
    call: list('visits', { offset: 5_000 }),
    expect: items(),
  },
  {
    title: 'items without a key are counted',
    call: list('visits', { fields: ['word'], filter: { order: 2 }, meta: '*' }),
    expect: {
      ...items({ word: null }),
      meta: { total_count: 4, filter_count: 1, limit: 100, offset: 0, page: 1, page_count: 1, truncated: [] },
    },
  },
  {
    title: 'items without a key make groups',
    call: list('visits', { groupBy: ['word'], aggregate: { count: ['*'] } }),
    expect: items({ word: 'a', count: 2 }, { word: 'b', count: 1 }, { word: null, count: 1 }),
  },
  {
    title: 'a star leaves out lists of items without a key',
    call: one('orders', 2, { fields: ['*'] }),
    expect: { id: 2, buyer: 'Bob', lines: [tea2, pan2], wares: [tea2, pan2] },
  },
  {
    title: 'a star shows lists of items without a key where they are groups',
    call: one('orders', 2, { fields: ['*'], deep: { visits: { _aggregate: { count: '*' } } } }),
    expect: { id: 2, buyer: 'Bob', lines: [tea2, pan2], wares: [tea2, pan2], visits: [{ count: 1 }] },
  },
  {
    title: 'two stars show lists of items without a key as items',
    call: one('orders', 2, { fields: ['visits.*'] }),
    expect: { visits: [{ at: '2024-01-01T00:00:00.000Z', word: null, order: 2, paper: null }] },
  },
  {
    title: 'a list of items without a key has no keys to show',
    call: one('orders', 2, { fields: ['visits'] }),
    expect: refused(
      invalid(
        ['fields'],
        '"visits" has no keys to show, because "visits" has none.',
        'Write "visits.*", or name the fields.',
      ),
    ),
  },
  {
    title: 'children without a key are paged',
    call: orders({
      fields: ['visits.word'],
      deep: { visits: { _limit: 1, _sort: '-word' } },
      filter: { id: 1 },
    }),
    expect: items({ visits: [{ word: 'b' }] }),
  },
  {
    title: 'conditions on children without a key',
    call: orders({ fields: ['id'], filter: { visits: { word: { _null: true } } } }),
    expect: ids(2),
  },
  {
    title: 'an item without a key is not read by one',
    call: one('visits', 1),
    expect: refused(noKey),
  },
  // Types whose values are no plain columns
  {
    title: 'decimals and moments in keys of several parts are shown as such',
    call: list('bills', { fields: ['id', 'stay'] }),
    expect: items({ id: 1, stay: low }, { id: 2, stay: high }, { id: 3, stay: high }, { id: 4, stay: null }),
  },
  {
    title: 'decimals and moments in keys of several parts are compared by what they are worth',
    call: list('bills', {
      fields: ['id'],
      filter: { stay: { _eq: ['1', 10, '2024-01-01T01:00:00+01:00'] } },
    }),
    expect: ids(2, 3),
  },
  {
    title: 'a list of keys of several parts takes decimals and moments in any form',
    call: list('bills', {
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
    expect: ids(1),
  },
  {
    title: 'a list that excludes keys of several parts takes decimals and moments in any form',
    call: list('bills', {
      fields: ['id'],
      filter: { stay: { _nin: [[1, '10', '2024-01-01T01:00:00+01:00']] } },
    }),
    expect: ids(1),
  },
  {
    title: 'children by keys with decimals and moments are found',
    call: list('stays', { fields: ['guest', 'bills', 'count(bills)'] }),
    expect: items(
      { guest: 'Ada', bills: [1], bills_count: 1 },
      { guest: 'Bob', bills: [2, 3], bills_count: 2 },
      { guest: null, bills: [], bills_count: 0 },
    ),
  },
  {
    title: 'an item is read by a key with a decimal and a moment',
    call: one('stays', high, { fields: ['guest', 'bills.stay.guest'] }),
    expect: { guest: 'Bob', bills: [{ stay: { guest: 'Bob' } }, { stay: { guest: 'Bob' } }] },
  },
  // Nothing to order by
  {
    title: 'items without a key, or anything that can be ordered, are listed',
    call: list('leaves'),
    expect: items({ paper: { x: [1] } }, { paper: { x: [1] } }),
  },
  {
    title: 'items without a key, or anything that can be ordered, have pages all the same',
    call: list('leaves', { limit: 1, offset: 1, meta: ['total_count'] }),
    expect: { ...items({ paper: { x: [1] } }), meta: { total_count: 2 } },
  },
]
