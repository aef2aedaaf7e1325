// Calls of the writing verbs, drawn by chance: mostly such that can be done, and some that cannot.
import type { Random } from '../property/seeded-random.ts'
import { type Given, kindOf, type Model, type Row } from './model.ts'

export type Command =
  | { readonly verb: 'create' | 'update'; readonly of: string; readonly items: readonly Given[] }
  | { readonly verb: 'delete'; readonly of: string; readonly keys: readonly string[] }
  | { readonly verb: 'updateFound'; readonly of: string; readonly which: Which; readonly data: Given }
  | { readonly verb: 'deleteFound'; readonly of: string; readonly which: Which }
  | { readonly verb: 'single'; readonly data: Given }

export interface Which {
  readonly filter: Given
  readonly sort?: readonly string[]
  readonly limit?: number
  readonly offset?: number
}

const main = ['people', 'people', 'people', 'pets', 'badges', 'clubs', 'members'] as const
const words = ['a', 'b', 'c', null] as const

export class Draw {
  readonly #random: Random
  readonly #model: Model
  /** No key stands twice in one call, so that the order of what is done does not matter. */
  readonly #used = new Set<string>()
  #fresh = 0

  constructor(random: Random, model: Model, number: number) {
    this.#random = random
    this.#model = model
    this.#fresh = number * 100
  }

  command(): Command {
    const random = this.#random
    const of = random.one(main)
    const times = random.chance(0.3) ? 1 + random.below(3) : 1
    return random.do<Command>(
      () => this.#items('create', of, times),
      () => this.#items('create', of, times),
      () => this.#items('update', of, times),
      () => this.#items('update', of, times),
      () => this.#items('update', of, times),
      () => ({ verb: 'delete', of, keys: Array.from({ length: times }, () => this.#key(of, 0.08)) }),
      () => ({ verb: 'deleteFound', of, which: this.#which(of) }),
      () => ({ verb: 'updateFound', of, which: this.#which(of), data: this.#plainFields(of) }),
      () => ({ verb: 'single', data: { id: 'only', value: random.one(words) } }),
    )
  }

  #items(verb: 'create' | 'update', of: string, times: number): Command {
    const items = Array.from({ length: times }, () => this.#item(of, verb, 2))
    return { verb, of, items: items.filter((item) => item !== undefined) }
  }

  #item(of: string, verb: 'create' | 'update' | 'either', depth: number): Given {
    const random = this.#random
    const isNew = verb === 'create' || (verb === 'either' && random.chance(0.4))
    const id = isNew ? this.#newKey(of) : this.#key(of, 0.04)
    const { required, links, many } = kindOf(of)
    const given: Record<string, unknown> = { id, ...this.#plainFields(of) }
    for (const [field, { to }] of Object.entries(links)) {
      const isNeeded = required.includes(field) && isNew
      if (!isNeeded && random.chance(0.6)) continue
      given[field] = random.chance(isNeeded ? 0.03 : 0.15)
        ? null
        : depth > 0 && random.chance(0.3)
          ? this.#item(to, 'either', depth - 1)
          : this.#target(to)
    }
    if (of === 'people' && isNew && !random.chance(0.03)) given.name ??= 'new'
    for (const [field, { to }] of Object.entries(many))
      if (depth > 0 && random.chance(0.3)) given[field] = this.#children(to, depth - 1)
    return given
  }

  #children(to: string, depth: number): unknown {
    const random = this.#random
    const some = <Thing>(make: () => Thing) => random.many(0, 2, make)
    if (random.chance(0.1)) return []
    if (random.chance(0.55))
      return some(() => (random.chance(0.4) ? this.#key(to, 0.04) : this.#item(to, 'either', depth)))
    return {
      create: some(() => this.#item(to, 'create', depth)),
      update: some(() => this.#item(to, 'update', depth)),
      ...(random.chance(0.2) && { delete: [this.#key(to, 0.04)] }),
    }
  }

  #plainFields(of: string): Given {
    const random = this.#random
    const given: Record<string, unknown> = {}
    for (const field of kindOf(of).plain) {
      if (random.chance(0.4)) continue
      if (of === 'clubs') given[field] = random.chance(0.1) ? this.#takenName() : `club ${this.#fresh++}`
      else
        given[field] =
          of === 'people' && !random.chance(0.03) ? random.one(['a', 'b', 'c']) : random.one(words)
    }
    return given
  }

  #takenName(): unknown {
    const club = this.#model.rows('clubs').get(this.#key('clubs', 0))
    return club?.name ?? 'taken'
  }

  #newKey(of: string): string {
    // Of keys that count by themselves nothing is drawn: databases count in ways of their own.
    return `${of} ${this.#fresh++}`
  }

  /** The key of a row that this call has not named yet; of none, by some chance. */
  #key(of: string, none: number): string {
    const free = [...this.#model.rows(of).keys()].filter((key) => !this.#used.has(key))
    if (free.length === 0 || this.#random.chance(none)) return `nobody ${this.#fresh++}`
    const key = this.#random.one(free)
    this.#used.add(key)
    return key
  }

  /** The key of a row that may be named as often as one likes, since nothing of it is changed. */
  #target(of: string): string {
    const all = [...this.#model.rows(of).keys()]
    return all.length === 0 || this.#random.chance(0.03) ? `nobody ${this.#fresh++}` : this.#random.one(all)
  }

  #which(of: string): Which {
    const random = this.#random
    const all = [...this.#model.rows(of).keys()]
    const [field = 'id'] = kindOf(of).plain
    const filter = random.do<Given>(
      () => ({ [field]: { _eq: random.one(['a', 'b', 'c', 'club 1']) } }),
      () => ({ id: { _in: random.some([...all, 'nobody'], 4) } }),
      () => ({ id: { _gt: all.length > 0 ? random.one(all) : '' } }),
      () => ({ [field]: { _null: true } }),
    )
    if (!random.chance(0.4)) return { filter, ...(random.chance(0.8) && { sort: ['id'], limit: 3 }) }
    return { filter, sort: ['-id'], limit: random.below(3), offset: random.below(2) }
  }
}

/** The keys of the rows that a query finds. */
export function found(rows: Iterable<Row>, { filter, sort = ['id'], limit, offset = 0 }: Which): string[] {
  const matching = [...rows].filter((row) =>
    Object.entries(filter).every(([field, test]) => meets(row[field], test)),
  )
  const keys = matching.map(({ id }) => String(id)).sort((one, other) => (one < other ? -1 : 1))
  if (sort[0] === '-id') keys.reverse()
  return keys.slice(offset, limit === undefined ? undefined : offset + limit)
}

function meets(value: unknown, test: unknown): boolean {
  const { _eq, _in, _gt, _null } = test as {
    _eq?: unknown
    _in?: unknown[]
    _gt?: string
    _null?: boolean
  }
  if (_null) return (value ?? null) === null
  if (_in) return _in.includes(value)
  if (_gt !== undefined) return String(value) > _gt
  return value === _eq
}
