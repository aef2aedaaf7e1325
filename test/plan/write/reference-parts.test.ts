// References that several fields hold, as a payload sets and clears them.
import { describe, expect, it } from 'vitest'
import { Problems } from '../../../src/errors/problems.ts'
import { defineSchema } from '../../../src/index.ts'
import { storedKey } from '../../../src/plan/key.ts'
import { readPayload } from '../../../src/plan/write/payload.ts'
import { maybeOne, one } from '../../support/fields.ts'

const id = { type: 'integer', key: true } as const
const number = { type: 'integer' } as const
const optional = { ...number, nullable: true } as const
const { collections } = defineSchema({
  orders: { fields: { id } },
  wares: { fields: { id } },
  lines: { key: ['order', 'ware'], fields: { order: one('orders'), ware: one('wares') } },
  /** Its fields hold nothing but the reference. */
  parcels: {
    fields: {
      id,
      order: optional,
      ware: optional,
      line: { type: 'm2o', to: 'lines', by: ['order', 'ware'] },
    },
  },
  /** One of its fields is a reference of its own. */
  returns: {
    fields: {
      id,
      order: maybeOne('orders'),
      ware: optional,
      line: { type: 'm2o', to: 'lines', by: ['order', 'ware'] },
    },
  },
  /** Both of its fields are. */
  gifts: {
    fields: {
      id,
      order: maybeOne('orders'),
      ware: maybeOne('wares'),
      line: { type: 'm2o', to: 'lines', by: ['order', 'ware'] },
    },
  },
  /** Its fields always hold something. */
  receipts: {
    fields: { id, order: number, ware: number, line: { type: 'm2o', to: 'lines', by: ['order', 'ware'] } },
  },
  /** A part of its key is a part of the reference. */
  labels: {
    key: ['order', 'place'],
    fields: {
      order: number,
      place: number,
      ware: optional,
      line: { type: 'm2o', to: 'lines', by: ['order', 'ware'] },
    },
  },
})

function read(of: string, given: object, key?: readonly number[]) {
  const collection = collections.get(of as 'parcels')
  if (!collection) throw new Error(`no ${of}`)
  const problems = new Problems('INVALID_PAYLOAD')
  const item = key ? { isKeyed: true, key: storedKey(collection, key) } : { isKeyed: false }
  const { values } = readPayload({ ...given }, { collection, path: ['data'], problems, ...item })
  return {
    values: Object.fromEntries([...values].map(([{ name }, value]) => [name, value])),
    problems: problems.all.map(({ code, path, message }) => ({ code, path, message })),
  }
}

describe('a reference that several fields hold', () => {
  it.each<[string, string, object, object]>([
    ['sets them', 'parcels', { line: [1, '2'] }, { order: 1n, ware: 2n }],
    [
      'agrees with what is said of one of them',
      'parcels',
      { order: 1, line: [1, 2] },
      { order: 1n, ware: 2n },
    ],
    ['empties all that hold nothing else', 'parcels', { line: null }, { order: null, ware: null }],
    ['leaves a field that is a reference itself', 'returns', { line: null }, { ware: null }],
    ['empties fields that all are references', 'gifts', { line: null }, { order: null, ware: null }],
  ])('%s', (_, of, given, values) => {
    expect(read(of, given)).toEqual({ values, problems: [] })
  })

  it('cannot be emptied where none of its fields may be null', () => {
    expect(read('receipts', { line: null })).toEqual({
      values: {},
      problems: [
        {
          code: 'FAILED_VALIDATION',
          path: ['data', 'line'],
          message: '"line" of "receipts" may not be null.',
        },
      ],
    })
  })

  it('and a field beside it that says another thing are refused', () => {
    expect(read('parcels', { order: 3, line: [1, 2] }).problems).toEqual([
      {
        code: 'INVALID_PAYLOAD',
        path: ['data', 'line'],
        message: '"line" and "order" beside it say different things.',
      },
    ])
  })

  it('leaves the key of an item that exists, and is refused where it says another', () => {
    expect(read('labels', { line: [1, 2] }, [1, 7])).toEqual({ values: { ware: 2n }, problems: [] })
    expect(read('labels', { line: null }, [1, 7])).toEqual({ values: { ware: null }, problems: [] })
    expect(read('labels', { line: [3, 2] }, [1, 7]).problems).toEqual([
      {
        code: 'INVALID_PAYLOAD',
        path: ['data', 'line'],
        message: 'The key of an item cannot be changed, and "line" says another "order".',
      },
    ])
  })
})
