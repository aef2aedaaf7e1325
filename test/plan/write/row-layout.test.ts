// Items of the same names are rows of one form, where nothing but the caller has a say in them.
import { describe, expect, it, vi } from 'vitest'
import { Problems } from '../../../src/errors/problems.ts'
import { defineSchema } from '../../../src/index.ts'
import type { ItemData } from '../../../src/plan/write/changes.ts'
import { type WriteMoment, withDefaults } from '../../../src/plan/write/defaults.ts'
import { bindItems, rowLayoutOf } from '../../../src/plan/write/row-layout.ts'
import type { ItemWrite } from '../../../src/plan/write/write-plan.ts'
import type { Collection } from '../../../src/schema/model.ts'
import { sqlite } from '../../../src/sqlite.ts'

const id = { type: 'integer', key: true } as const
const validator = { '~standard': { version: 1, vendor: 'host', validate: (value: unknown) => ({ value }) } }
const schema = defineSchema({
  notes: {
    fields: {
      id,
      text: { type: 'string' },
      status: { type: 'string', default: 'draft' },
      nothing: { type: 'string', default: null, nullable: true },
      secret: { type: 'string', conceal: true, nullable: true },
      made: { type: 'timestamp', special: ['date-created'] },
      changed: { type: 'timestamp', special: ['date-updated'] },
      seen: { type: 'timestamp', special: ['date-updated'], nullable: true },
      writer: { type: 'integer', special: ['user-created'], nullable: true },
      token: { type: 'uuid', special: ['uuid'] },
      meta: { type: 'json', schema: validator as never, nullable: true },
      price: { type: 'decimal', scale: 2, nullable: true },
      sum: { type: 'integer', generated: true },
      about: { type: 'any', to: ['notes'], by: 'status', nullable: true },
      parts: { type: 'o2m', from: 'parts.note' },
      fixed: { type: 'string', readonly: true, nullable: true },
      hash: { type: 'hash', nullable: true },
    },
  },
  parts: { fields: { id, note: { type: 'm2o', to: 'notes' } } },
  ids: { fields: { id } },
})
const collection = (name: string) => schema.collections.get(name as never) as unknown as Collection // of the schema above
const occasion: WriteMoment = {
  now: new Date('2024-02-29T12:00:00Z'),
  user: 7,
  newId: () => '0190163d-8694-739b-aea5-966c26f8ad91',
}

const rowsOf = (name: string, items: readonly ItemData[], on: WriteMoment = occasion) => {
  const form = rowLayoutOf(collection(name), Object.keys(items[0] ?? {}), sqlite)
  const bound =
    form &&
    bindItems(
      form,
      items.map((payload) => ({ payload })),
      on,
    )
  return bound && { names: form.fields.map((field) => field.name), bound }
}

describe('rows of one form', () => {
  const filled = ['status', 'nothing', 'made', 'changed', 'writer', 'token']

  it('hold what is given, and what the engine fills in', () => {
    const found = rowsOf('notes', [{ text: 'a' }, { text: 'b' }])
    expect(found?.names).toEqual(['text', ...filled])
    const rest = ['draft', null, '2024-02-29T12:00:00.000Z', '2024-02-29T12:00:00.000Z', 7, occasion.newId()]
    expect(found?.bound).toEqual(['a', ...rest, 'b', ...rest])
  })

  it('are written by nobody', () => {
    const found = rowsOf('notes', [{ text: 'a' }], { ...occasion, user: null })
    expect(found?.bound[found.names.indexOf('writer')]).toBeNull()
    expect(rowsOf('notes', [{ text: 'a' }], { ...occasion, user: undefined })).toBeUndefined()
  })

  it('hold values in the form in which they are stored', () => {
    const found = rowsOf('notes', [{ text: 5, meta: { a: 1 }, price: '1.005', secret: null }])
    expect(found?.names.slice(0, 4)).toEqual(['text', 'meta', 'price', 'secret'])
    expect(found?.bound.slice(0, 4)).toEqual(['5', '{"a":1}', 1.01, null])
  })

  it.each<[string, readonly ItemData[]]>([
    ['an item has other names', [{ text: 'a' }, { text: 'a', status: 'x' }]],
    [
      'an item has its names in another order',
      [
        { text: 'a', status: 'x' },
        { status: 'x', text: 'a' },
      ],
    ],
    ['an item lacks a name', [{ text: 'a', status: 'x' }, { text: 'a' }]],
    ['a value is undefined', [{ text: undefined }]],
    ['a value may not be null', [{ text: null }]],
    ['a value is of another type', [{ text: {} }]],
    ['a value is what a concealed one is shown as', [{ text: 'a', secret: '**********' }]],
    ['a name is unknown', [{ text: 'a', nothere: 1 }]],
    ['a relation is written with them', [{ text: 'a', parts: [] }]],
    ['a reference to any collection is written with them', [{ text: 'a', about: 1 }]],
    ['a field is filled in by the engine', [{ text: 'a', made: '2024-02-29' }]],
    ['a field is read-only', [{ text: 'a', fixed: 'x' }]],
    ['a field is hashed', [{ text: 'a', hash: 'x' }]],
    ['a field is computed', [{ text: 'a', sum: 1 }]],
    ['a value is missing', [{ status: 'x' }]],
  ])('are not made where %s', (_, items) => {
    expect(rowsOf('notes', items)).toBeUndefined()
  })

  it('need a column', () => {
    expect(rowsOf('ids', [{}])).toBeUndefined()
    expect(rowsOf('parts', [{ note: 3 }])).toEqual({ names: ['note'], bound: [3] })
  })
})

describe('an item that is completed', () => {
  const completed = (on: WriteMoment, problems = new Problems('INVALID_PAYLOAD')) => {
    const item: ItemWrite = {
      collection: collection('notes'),
      action: 'create',
      path: [2],
      payload: {},
      key: undefined,
      increments: new Map(),
      values: new Map(),
      refused: new Set(),
      targets: [],
      children: [],
      isLink: false,
      isAttached: false,
      named: [],
      owner: undefined,
    }
    withDefaults(item, on, problems)
    const values = Object.fromEntries([...item.values].map(([{ name }, value]) => [name, value]))
    return { values, problems: problems.all.map(({ code, message, path }) => [code, message, path]) }
  }
  const missing = ['FAILED_VALIDATION', '"text" of "notes" is required.', [2, 'text']]

  it('makes no error behind as many as are shown', () => {
    const problems = new Problems('INVALID_PAYLOAD')
    for (let at = 0; !problems.isFull; at++) problems.add([at], 'Wrong.')
    const report = vi.spyOn(problems, 'report')
    completed(occasion, problems)
    expect(report).not.toHaveBeenCalled()
  })

  it('has its defaults, and what the engine fills in', () => {
    const now = occasion.now.getTime()
    expect(completed(occasion)).toEqual({
      values: {
        status: 'draft',
        nothing: null,
        made: now,
        changed: now,
        writer: 7n,
        token: occasion.newId(),
      },
      problems: [missing],
    })
  })

  it('tells of what the engine fills in that its field does not hold', () => {
    expect(completed({ ...occasion, user: 'Ada' }).problems).toEqual([
      ['INVALID_SCHEMA', '"writer" of "notes" takes a whole number; its default is "Ada".', undefined],
      missing,
    ])
  })
})
