import { titled } from '../../support/titled.ts'
import {
  create,
  createAll,
  deleteAll,
  deleteFound,
  failed,
  refused,
  remove,
  update,
  updateAll,
  updateEach,
  updateFound,
  updateSingle,
  type WriteCase,
} from './case.ts'

const first = { id: 1, name: 'Fish', motto: 'hello', owner: null }
const there = [updateSingle('settings', { name: 'Fish' })]
const second = refused({ code: 'INVALID_PAYLOAD' })

export const singletonCases: readonly WriteCase[] = [
  ...titled<WriteCase>({
    'an update creates the item of an empty singleton, with its defaults': {
      call: updateSingle('settings', { name: 'Fish' }),
      expect: first,
      leaves: { settings: { 1: { id: 1, name: 'Fish', motto: 'hello' } } },
    },
    'what an empty singleton needs has to be given': {
      call: updateSingle('settings', { motto: 'hi' }),
      expect: refused(failed('required', 'settings', 'name', ['name'])),
    },
    'an update changes the item of a singleton': {
      before: there,
      call: updateSingle('settings', { motto: 'hi', owner: { name: 'Dee' } }, { fields: ['motto', 'owner'] }),
      expect: { motto: 'hi', owner: 4 },
      leaves: { settings: { 1: { motto: 'hi', owner: 4 } }, authors: { 4: { id: 4, name: 'Dee' } } },
    },
    'the key of a singleton may be sent back': {
      before: there,
      call: updateSingle('settings', { id: 1, motto: 'hi' }, { fields: ['motto'] }),
      expect: { motto: 'hi' },
      leaves: { settings: { 1: { motto: 'hi' } } },
    },
    'the key of a singleton cannot be changed': {
      before: there,
      call: updateSingle('settings', { id: 2, motto: 'hi' }),
      expect: refused({ code: 'INVALID_PAYLOAD', path: ['id'] }),
    },
    'an item of an empty singleton may be created': {
      call: create('settings', { id: 7, name: 'Fish' }, { fields: ['id'] }),
      expect: { id: 7 },
      leaves: { settings: { 7: { id: 7, name: 'Fish', motto: 'hello' } } },
    },
    'a second item of a singleton is refused': {
      before: there,
      call: create('settings', { name: 'Bird' }),
      expect: second,
    },
    'a second item of a singleton is refused where it is nested, too': {
      before: there,
      call: create('bookings', { settings: { name: 'Bird' } }),
      expect: second,
    },
    'two first items of a singleton are refused, where they are nested': {
      call: createAll('bookings', [{ settings: { name: 'Fish' } }, { settings: { name: 'Bird' } }]),
      expect: second,
    },
    'the first item of a singleton may be nested': {
      call: create('bookings', { settings: { name: 'Fish' } }, { fields: ['settings.name'] }),
      expect: { settings: { name: 'Fish' } },
      leaves: {
        settings: { 1: { id: 1, name: 'Fish', motto: 'hello' } },
        bookings: { 1: { id: 1, settings: 1 } },
      },
    },
    'the item of a singleton may be changed where it is nested': {
      before: there,
      call: create('bookings', { settings: { id: 1, motto: 'hi' } }, { fields: ['settings'] }),
      expect: { settings: 1 },
      leaves: { settings: { 1: { motto: 'hi' } }, bookings: { 1: { id: 1, settings: 1 } } },
    },
    'the item of a singleton is reached by its key': {
      before: there,
      call: update('settings', 1, { motto: 'hi' }, { fields: ['motto'] }),
      expect: { motto: 'hi' },
      leaves: { settings: { 1: { motto: 'hi' } } },
    },
    'the item of a singleton is deleted by its key': {
      before: there,
      call: remove('settings', 1),
      expect: undefined,
      leaves: { settings: { 1: null } },
    },
  }),
  ...[
    { title: 'createItems', call: createAll('settings', [{ name: 'Fish' }]) },
    { title: 'updateItems with keys', call: updateAll('settings', [1], { motto: 'hi' }) },
    { title: 'updateItems with items', call: updateEach('settings', [{ id: 1, motto: 'hi' }]) },
    { title: 'updateByQuery', call: updateFound('settings', { filter: { id: 1 } }, { motto: 'hi' }) },
    { title: 'deleteItems', call: deleteAll('settings', [1]) },
    { title: 'deleteByQuery', call: deleteFound('settings', { filter: { id: 1 } }) },
  ].map(({ title, call }) => ({
    title: `a singleton is not for bulk: ${title} is refused`,
    before: there,
    call,
    expect: second,
  })),
  {
    title: 'a collection that is no singleton is not found as one',
    call: updateSingle('notes', { text: 'x' }),
    expect: refused({ code: 'NOT_FOUND' }),
  },
]
