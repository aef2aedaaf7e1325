// Documents drawn at random, over tables with relations of all kinds.
import { type CollectionDefinition, defineSchema } from '../../src/index.ts'
import type { Random } from '../property/seeded-random.ts'
import { integer, key, many, maybeOne, one, string, text } from '../support/fields.ts'
import { argumentsText, type DrawnCursor, type DrawnList, drawnQuery, type TypeName } from './random-lists.ts'

export const collections = {
  teas: {
    fields: {
      id: key,
      name: text,
      score: { type: 'float', nullable: true },
      picked: { type: 'date', nullable: true },
      farm: maybeOne('farms'),
      lots: many('lots.tea'),
      later: { type: 'o2m', from: 'lots.tea', filter: { id: { _gt: 1 } } },
      kind: text,
      pair: {
        type: 'any',
        by: 'kind',
        to: ['farms', 'lots'],
        nullable: true,
        filter: { farms: { id: { _neq: 1 } }, lots: { id: { _nin: [4] } } },
      },
    },
  },
  farms: { fields: { id: key, name: string, teas: many('teas.farm') } },
  lots: { fields: { id: key, tea: one('teas'), weight: integer } },
} as const satisfies Readonly<Record<string, CollectionDefinition>>

export const schema = defineSchema(collections)

export const tables = [
  'create table farms (id integer primary key, name text not null)',
  'create table teas (id integer primary key, name text, score double precision, picked date, farm integer, kind text, pair text)',
  'create table lots (id integer primary key, tea integer not null, weight integer not null)',
  "insert into farms values (1, 'Hill'), (2, 'Lake')",
  "insert into teas values (1, 'Assam', 1.5, '2024-04-05', 1, 'farms', '2'), (2, null, null, null, null, 'lots', '3'), (3, 'Oolong', 0, '2023-01-02', 2, null, null), (4, 'Puer', -2, '2020-12-31', 1, 'lots', '99')",
  'insert into lots values (1, 1, 3), (2, 1, 5), (3, 2, 1), (4, 4, 5)',
]

/** Draws a document. `$n`, `$skip` and the names of its cursors are its variables. */
export class DocumentDraw {
  readonly #random: Random
  #names = 0
  readonly fragments: string[] = []
  readonly cursors: DrawnCursor[] = []
  /** The lists at the root. */
  readonly lists: DrawnList[] = []

  constructor(random: Random) {
    this.#random = random
  }

  document(): string {
    const roots = Array.from({ length: 1 + this.#random.below(3) }, () => this.#root())
    const variables = this.cursors
      .filter(({ isLiteral }) => !isLiteral)
      .map(({ name }) => `, $${name}: String`)
    return `query Q($n: Int, $skip: Boolean!${variables.join('')}) { v: __typename @skip(if: $skip) w: lots(limit: $n) { id } ${roots.join(' ')} } ${this.fragments.join(' ')}`
  }

  #alias(): string {
    return this.#random.below(3) === 0
      ? `${this.#random.one(['x', 'id', '_id', 'name', 'constructor'])}${this.#names++}: `
      : ''
  }

  #root(): string {
    const type = this.#random.one(['teas', 'farms', 'lots'] as const)
    const name = `r${this.#names++}`
    switch (this.#random.below(5)) {
      case 0:
        return `${name}: ${type}_by_id(id: ${1 + this.#random.below(6)}) { ${this.#selection({ type, depth: 3 })} }`
      case 1:
        return `${name}: ${type}_aggregated { countAll c: count { id } __typename }`
      default:
        return this.#list(
          { name, field: type, parent: undefined, skip: '' },
          { type, depth: 3, into: this.lists },
        )
    }
  }

  /** A list of items, which is noted where all that it stands in is a list or an item. */
  #list({ name, field, parent, skip }: Named, { type, depth, into }: Drawing): string {
    const query = drawnQuery(this.#random, type, { field, parent }, `c${this.#names++}`)
    if (query.cursor) this.cursors.push(query.cursor)
    const below: DrawnList[] = []
    into?.push({ name, field, isOne: false, query, below })
    return `${name}: ${field}${argumentsText(query)}${skip} { ${this.#selection({ type, depth, into: below, isList: true })} }`
  }

  #selection(drawing: Drawing): string {
    const parts = Array.from({ length: 1 + this.#random.below(4) }, () => this.#part(drawing))
    return [
      'id',
      ...(drawing.isList && this.#random.chance(0.3) ? [`${this.#alias()}_cursor`] : []),
      ...parts,
    ].join(' ')
  }

  #part(drawing: Drawing): string {
    const { type, into } = drawing
    const depth = drawing.depth - 1
    const skip = this.#random.below(5) === 0 ? ' @skip(if: $skip)' : ''
    if (this.#random.below(6) === 0) {
      const name = `F${this.#names++}`
      this.fragments.push(`fragment ${name} on ${type} { ${this.#selection({ ...drawing, depth })} }`)
      return `...${name}${skip}`
    }
    if (this.#random.below(8) === 0)
      return `... on ${type}${skip} { ${this.#selection({ ...drawing, depth })} }`
    const scalar = this.#random.one(scalars[type])
    const [field, target] = this.#random.one(relations[type])
    if (depth < 0 || this.#random.below(2) === 0)
      return scalar.replace('#', this.#alias()) + (scalar.includes('{') ? '' : skip)
    if (target === undefined)
      return `u${this.#names++}: pair${skip} { ... on farms { ${this.#selection({ type: 'farms', depth })} } ${this.#random.one(['', '__typename', '... on lots { weight }'])} }`
    // An alias of its own: arguments of one response key have to be equal.
    const name = `a${this.#names++}`
    if (field !== 'farm' && field !== 'tea')
      return this.#list({ name, field, parent: type, skip }, { type: target, depth, into })
    const below: DrawnList[] = []
    into?.push({ name, field, isOne: true, query: {}, below })
    return `${name}: ${field}${skip} { ${this.#selection({ type: target, depth, into: below })} }`
  }
}

interface Named {
  readonly name: string
  readonly field: string
  /** The type of which it is a field. */
  readonly parent: TypeName | undefined
  readonly skip: string
}

/** What is drawn at a place. */
interface Drawing {
  readonly type: TypeName
  readonly depth: number
  /** The lists that are noted beside it. Absent = none is. */
  readonly into?: DrawnList[] | undefined
  readonly isList?: boolean
}

const scalars = {
  teas: [
    '#name',
    '#score',
    '#picked',
    '#kind',
    '__typename',
    'picked_func { year m: month }',
    'lots_func { count sum(field: "weight") last: max(field: "weight") }',
    'later_func { count least: min(field: "weight") }',
  ],
  farms: ['#name', '__typename', 'teas_func { count sum(field: "score") }'],
  lots: ['#weight', '__typename'],
} as const
const relations: Readonly<
  Record<TypeName, readonly (readonly [field: string, target: TypeName | undefined])[]>
> = {
  teas: [
    ['farm', 'farms'],
    ['lots', 'lots'],
    ['later', 'lots'],
    ['pair', undefined],
  ],
  farms: [['teas', 'teas']],
  lots: [['tea', 'teas']],
}
