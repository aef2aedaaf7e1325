// What writing means, told once more in memory: written from the specification, and knowing nothing of the engine but types.

export type Row = Readonly<Record<string, unknown>>
export type State = ReadonlyMap<string, ReadonlyMap<string, Row>>
export type Given = Readonly<Record<string, unknown>>

/** The call changes nothing. */
export class Refused extends Error {}

interface Children {
  readonly to: string
  readonly by: string
  readonly deselect: 'nullify' | 'delete'
}

interface Kind {
  readonly required: readonly string[]
  readonly unique?: string
  /** Fields that hold keys, and what becomes of the row when what they lead to is deleted. */
  readonly links: Readonly<
    Record<string, { readonly to: string; readonly gone: 'null' | 'cascade' | 'refuse' }>
  >
  readonly plain: readonly string[]
  readonly many: Readonly<Record<string, Children>>
}

export const kinds: Readonly<Record<string, Kind>> = {
  people: {
    required: ['name'],
    plain: ['name'],
    links: { boss: { to: 'people', gone: 'refuse' } },
    many: {
      pets: { to: 'pets', by: 'owner', deselect: 'nullify' },
      badges: { to: 'badges', by: 'holder', deselect: 'delete' },
      clubs: { to: 'members', by: 'person', deselect: 'delete' },
    },
  },
  pets: { required: [], plain: ['name'], links: { owner: { to: 'people', gone: 'null' } }, many: {} },
  badges: {
    required: ['holder'],
    plain: ['text'],
    links: { holder: { to: 'people', gone: 'cascade' } },
    many: {},
  },
  clubs: { required: [], unique: 'name', plain: ['name'], links: {}, many: {} },
  members: {
    required: ['person', 'club'],
    plain: [],
    links: { person: { to: 'people', gone: 'cascade' }, club: { to: 'clubs', gone: 'cascade' } },
    many: {},
  },
  config: { required: [], plain: ['value'], links: {}, many: {} },
}

export const kindOf = (name: string): Kind => {
  const kind = kinds[name]
  if (!kind) throw new Error(`no collection ${name}`)
  return kind
}

export const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A state that is changed by one call, and thrown away when that is refused. */
export class Model {
  readonly #tables: Map<string, Map<string, Row>>
  /** Rows that a call names: a list that leaves them out leaves them to whoever names them. */
  #named: ReadonlySet<unknown> = new Set()
  /** Those of them of which it says where they hang. */
  #placed: ReadonlySet<unknown> = new Set()

  constructor(state: State) {
    this.#tables = new Map(Object.keys(kinds).map((name) => [name, new Map(state.get(name))]))
  }

  get state(): State {
    return this.#tables
  }

  rows(name: string): Map<string, Row> {
    const rows = this.#tables.get(name)
    if (!rows) throw new Error(`no table ${name}`)
    return rows
  }

  write(name: string, items: readonly Given[], action: 'create' | 'update'): void {
    this.#named = new Set(items.flatMap(namedIn))
    this.#placed = new Set(items.flatMap((one) => placedIn(one, false)))
    for (const given of items) this.#write(name, given, action)
    this.#check()
  }

  remove(name: string, keys: readonly string[]): void {
    for (const key of keys) if (!this.rows(name).has(key)) throw new Refused(`no ${key}`)
    for (const key of keys) this.rows(name).delete(key)
    for (const key of keys) this.#forget(name, key)
  }

  #write(name: string, given: Given, action: 'create' | 'update' | 'either', owner: Given = {}): string {
    const { links, many, plain } = kindOf(name)
    const key = given.id
    if (typeof key !== 'string') throw new Refused('no key')
    const before = this.rows(name).get(key)
    if (action === 'update' && !before) throw new Refused(`no ${key}`)
    if (action === 'create' && before) throw new Refused(`${key} is taken`)
    const row: Record<string, unknown> = { ...(before ?? { id: key }) }
    for (const field of plain) if (given[field] !== undefined) row[field] = given[field]
    for (const [field, { to }] of Object.entries(links)) {
      // What a child says of its parent does not count.
      const value = field in owner ? undefined : given[field]
      if (isObject(value)) row[field] = this.#write(to, value, 'either')
      else if (value !== undefined) row[field] = value
    }
    this.rows(name).set(key, { ...row, ...owner })
    for (const [field, children] of Object.entries(many)) this.#writeChildren(key, given[field], children)
    return key
  }

  #writeChildren(owner: string, given: unknown, { to, by, deselect }: Children): void {
    if (given === undefined) return
    const own = () =>
      [...this.rows(to).values()].filter((row) => row[by] === owner).map((row) => String(row.id))
    const takeOut = (key: string) => {
      const row = this.rows(to).get(key)
      if (deselect === 'delete') this.rows(to).delete(key)
      else if (row) this.rows(to).set(key, { ...row, [by]: null })
    }
    const put = (child: unknown, action: 'create' | 'update' | 'either') => {
      if (isObject(child)) this.#write(to, child, action, { [by]: owner })
      else this.#write(to, { id: child }, 'update', { [by]: owner })
    }
    if (Array.isArray(given)) {
      // Whoever is named elsewhere is not deleted, and is out of the list all the same unless it may not be.
      const stay = deselect === 'delete' ? this.#named : this.#placed
      for (const key of own()) if (!stay.has(key)) takeOut(key)
      for (const child of given) put(child, 'either')
      return
    }
    const { create = [], update = [], delete: removed = [] } = given as Readonly<Record<string, unknown[]>>
    for (const key of removed) {
      if (!own().includes(String(key))) throw new Refused(`${key} is no child`)
      takeOut(String(key))
    }
    for (const child of create) put(child, 'create')
    for (const child of update) put(child, 'update')
  }

  #check(): void {
    for (const [name, { required, unique, links }] of Object.entries(kinds)) {
      const seen = new Set<unknown>()
      for (const row of this.rows(name).values()) {
        for (const field of required) if ((row[field] ?? null) === null) throw new Refused(`no ${field}`)
        for (const [field, { to }] of Object.entries(links)) {
          const key = row[field] ?? null
          if (key !== null && !this.rows(to).has(String(key))) throw new Refused(`${field} leads nowhere`)
        }
        const value = unique === undefined ? null : (row[unique] ?? null)
        if (value !== null && seen.has(value)) throw new Refused(`${value} is taken`)
        seen.add(value)
      }
    }
  }

  /** What becomes of the rows that led to a deleted one. */
  #forget(gone: string, key: string): void {
    for (const [name, { links }] of Object.entries(kinds)) {
      for (const [field, link] of Object.entries(links)) {
        if (link.to !== gone) continue
        for (const row of [...this.rows(name).values()].filter((one) => one[field] === key)) {
          if (link.gone === 'refuse') throw new Refused(`${row.id} holds ${key}`)
          if (link.gone === 'null') this.rows(name).set(String(row.id), { ...row, [field]: null })
          else this.rows(name).delete(String(row.id))
        }
      }
    }
  }
}

/** The keys of pets that a payload hangs on somebody, be it as their children or by the field that says so. */
function placedIn(given: unknown, isChild: boolean): readonly unknown[] {
  if (Array.isArray(given)) return given.flatMap((one) => placedIn(one, isChild))
  if (!isObject(given)) return isChild ? [given] : []
  const own = isChild || 'owner' in given ? [given.id] : []
  const { create = [], update = [] } = isObject(given.pets) ? given.pets : {}
  const pets = Array.isArray(given.pets) ? given.pets : [create, update].flat()
  const others = Object.entries(given).filter(([name]) => name !== 'pets')
  return [...own, ...placedIn(pets, true), ...others.flatMap(([, inner]) => placedIn(inner, false))]
}

/** Every key that a payload holds. */
function namedIn(given: unknown): readonly unknown[] {
  if (Array.isArray(given)) return given.flatMap(namedIn)
  if (isObject(given)) return Object.values(given).flatMap(namedIn)
  return [given]
}
