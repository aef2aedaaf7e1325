// Items are made by code written for each recipe and, where code must not be made of text, by walking through the recipe.
import { describe, expect, it } from 'vitest'
import { compileMapper, interpretMapper } from '../../src/rows/compile-mapper.ts'
import type { Watch } from '../../src/rows/row.ts'
import type { CellRecipe, Recipe, TupleRecipe } from '../../src/sql/recipe.ts'

const cell = (at: number, read?: (value: unknown) => unknown): CellRecipe => ({ kind: 'cell', at, read })
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

  it('makes a member of any name, and changes no prototype', () => {
    const made = make({
      kind: 'item',
      presence: undefined,
      members: [
        ['__proto__', { kind: 'item', presence: undefined, members: [['isAdmin', cell(0)]] }],
        ['constructor', cell(0)],
      ],
    })([true], undefined)
    expect(Object.keys(Object(made))).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
    expect(Reflect.get(Object(made), 'isAdmin')).toBeUndefined()
    expect(JSON.stringify(made)).toBe('{"__proto__":{"isAdmin":true},"constructor":true}')
  })

  it('shows keys as text, numbers as numbers, constants, and no key of which a part is null', () => {
    const key: TupleRecipe = {
      kind: 'tuple',
      parts: [
        { kind: 'cell', at: 0, read: undefined },
        { kind: 'cell', at: 1, read: String },
      ],
    }
    const mapper = make({
      kind: 'item',
      presence: undefined,
      members: [
        ['key', key],
        ['text', { kind: 'shown', as: 'key', recipe: key }],
        ['number', { kind: 'shown', as: 'number', recipe: cell(2) }],
        ['constant', { kind: 'constant', text: '"quoted"\n' }],
      ],
    })
    const constant = '"quoted"\n'
    expect(mapper([1, 'a,b', '4.50'], undefined)).toEqual({
      key: [1, 'a,b'],
      text: '1,a~2Cb',
      number: 4.5,
      constant,
    })
    expect(mapper([1, null, null], undefined)).toEqual({ key: null, text: null, number: null, constant })
  })
})
