// Items are made by code written for each recipe and, where code must not be made of text, by walking through the recipe.
import { describe, expect, it } from 'vitest'
import { compileMapper } from '../../src/rows/compile-mapper.ts'
import { interpretMapper } from '../../src/rows/interpret-mapper.ts'
import type { Watch } from '../../src/rows/row.ts'
import type { Recipe } from '../../src/sql/recipe.ts'

const cell = (at: number, read?: (value: unknown) => unknown): Recipe => ({ kind: 'cell', at, read })
const page = { limit: 1, offset: 0, isCut: true, isFixed: false, path: [] } as const
const nested = (recipe: Recipe) => ({ recipe, isBare: false, isChunked: false })

const item: Recipe = {
  kind: 'item',
  presence: undefined,
  members: [
    ['a "quoted" name', cell(0)],
    ['doubled', cell(1, (value) => Number(value) * 2)],
    ['hasOwnProperty', { kind: 'item', presence: 2, members: [['key', cell(2)]] }],
    ['list', { kind: 'list', at: 3, row: nested(cell(0)), page, place: 'list' }],
    [
      'keys',
      {
        kind: 'list',
        at: 4,
        row: { recipe: cell(0, String), isBare: true, isChunked: false },
        page,
        place: 'keys',
      },
    ],
    [
      'wide',
      {
        kind: 'list',
        at: 5,
        row: { recipe: cell(2), isBare: false, isChunked: true },
        page: { ...page, isCut: false },
        place: 'wide',
      },
    ],
    [
      'one',
      { kind: 'row', at: 6, row: nested({ kind: 'item', presence: undefined, members: [['x', cell(0)]] }) },
    ],
    [
      'any',
      {
        kind: 'arms',
        at: 7,
        arms: [
          ['left', cell(0)],
          ['right', cell(1)],
        ],
      },
    ],
  ],
}

const rows = [
  ['text', 21, 5, '[[1],[2]]', '[7,8]', '[[[1,2],[3]]]', '["y"]', 'right'],
  [null, null, null, '[]', '[]', '[]', null, 'none of them'],
]

describe.each([
  ['written', compileMapper],
  ['walked', interpretMapper],
])('a mapper that is %s', (_name, make) => {
  it('makes items of rows', () => {
    expect(rows.map((row) => make(item)(row, undefined))).toEqual([
      {
        'a "quoted" name': 'text',
        doubled: 42,
        hasOwnProperty: { key: 5 },
        list: [1, 2],
        keys: ['7', '8'],
        wide: [3],
        one: { x: 'y' },
        any: 21,
      },
      {
        'a "quoted" name': null,
        doubled: null,
        hasOwnProperty: null,
        list: [],
        keys: [],
        wide: [],
        one: null,
        any: null,
      },
    ])
  })

  it('cuts what was fetched only to see whether there is more, and tells where', () => {
    const cuts: string[] = []
    const watch: Watch = { limitOf: ({ limit }) => limit, cut: (place) => cuts.push(place) }
    expect(make(item)(rows[0] ?? [], watch)).toMatchObject({ list: [1], keys: ['7'], wide: [3] })
    expect(cuts).toEqual(['list', 'keys'])
  })
})
