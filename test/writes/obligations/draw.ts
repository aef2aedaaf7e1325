// Worlds, rules and writes that are drawn.
import type { Random } from '../../property/seeded-random.ts'
import type { Filter, Row, TableName, Tables, Value } from './filter.ts'
import { type Action, type Caller, type Facts, noteFields, now, type Rule, type Write } from './model.ts'

type Data = Readonly<Record<string, unknown>>

const states = ['open', 'done', 'hot', 'Open', ''] as const
const amounts = [1, 5, 7, 60] as const
const prices = ['1.50', 10, '10.004', '10.006', '99.99'] as const
const moments = ['2026-04-01T00:00:00', now, '2026-06-01T12:30:00'] as const
export const codes = ['a', 'b', 'c', 'A', 'new'] as const
const people = [1, 2, 3] as const
const teams = [1, 2, 3] as const
const missing = 9

const orNull = <Thing>(random: Random, things: readonly Thing[], share = 0.2) =>
  random.chance(share) ? null : random.one(things)

export const drawTables = (random: Random): Tables => ({
  teams: teams.map((id) => ({ id, name: random.one(['red', 'blue']) })),
  people: people.map((id) => ({ id, name: random.one(['Ada', 'Bo']), team: orNull(random, teams) })),
  memberships: [1, 2, 3, 4].map((id) => ({
    id,
    team: random.one(teams),
    person: random.one(people),
    role: random.one(['chief', 'guest']),
  })),
  notes: [1, 2, 3, 4].map((id, at) => ({
    id,
    author: orNull(random, people),
    team: orNull(random, teams),
    state: random.one(states),
    views: random.chance(0.1) ? 2 ** 31 - 1 : random.one(amounts),
    done: orNull(random, [true, false]),
    price: orNull(random, [1.5, 10, 10.01]),
    at: orNull(random, moments),
    code: random.chance(0.2) ? null : (['a', 'b', 'c', 'd'][at] ?? null),
  })),
})

/** Validations of the schema that memory alone does not judge, placed and not placed in the statement that writes. */
const validationsThrough: readonly Filter[] = [
  { author: { name: { _neq: 'Bo' } } },
  { author: { id: { _eq: '$CURRENT_USER' } } },
  { team: { name: 'red' } },
  { team: { members: { person: '$CURRENT_USER' } } },
  { _or: [{ author: { _null: true } }, { author: { name: 'Ada', team: { name: 'red' } } }] },
  { _or: [{ views: { _lt: 7 } }, { team: { members: { _some: { role: 'chief' } } } }] },
  { author: { notes: { _none: { state: 'done' } } } },
  { author: { name: { _icontains: 'A' } } },
]

export const drawFacts = (random: Random): Facts => {
  const defaults: Record<string, Value> = {}
  if (random.chance(0.5)) defaults.state = 'open'
  if (random.chance(0.3)) defaults.views = 5
  if (random.chance(0.3)) defaults.team = random.one(teams)
  if (random.chance(0.2)) defaults.author = random.one(people)
  const validations: Record<string, Filter> = {}
  if (random.chance(0.3)) validations.views = random.one([{ views: { _lte: 60 } }, { views: { _gte: 0 } }])
  if (random.chance(0.2)) validations.state = { state: { _neq: 'hot' } }
  for (const name of ['author', 'team', 'views', 'done'])
    if (random.chance(0.2)) validations[name] = random.one(validationsThrough)
  const keys = ['author', 'team'].filter(() => random.chance(0.3))
  // Databases check foreign keys before triggers behind a row, or after them.
  const open = ['author', 'team'].filter((name) => !keys.includes(name))
  return {
    defaults,
    // A field that only the database fills in takes numbers of 64 bits.
    described: Object.keys(defaults).filter((name) => random.chance(0.4) || name === 'views'),
    needed: ['state', 'views'],
    validations,
    keys,
    ...(random.chance(0.25) && {
      trigger: {
        isBefore: random.chance(0.5),
        when: random.one([['state', 'done'] as const, ['views', 7] as const]),
        set: random.one<readonly [string, Value]>([
          ...open.map((name) => [name, random.one(name === 'team' ? [...teams, null] : people)] as const),
          ['done', true],
          ['price', null],
        ]),
      },
    }),
  }
}

/** Conditions on columns of the note, with variables and without. */
const ownCondition = (random: Random): Filter =>
  random.one<Filter>([
    { author: '$CURRENT_USER' },
    { author: { _eq: '$CURRENT_USER' } },
    { author: { _neq: '$CURRENT_USER' } },
    { team: '$CURRENT_USER.team' },
    { team: { _in: [1, 2] } },
    { team: { _null: true } },
    { state: random.one(states) },
    { state: { _neq: random.one(states) } },
    { state: { _in: ['open', 'hot'] } },
    { state: { _gte: 'done' } },
    { state: { _icontains: 'OPEN' } },
    { views: { _gte: random.one(amounts) } },
    { views: { _lt: random.one([5, 7, 60]) } },
    { views: { _between: [1, 7] } },
    { done: true },
    { done: { _neq: true } },
    { price: { _lte: '10' } },
    { price: { _null: true } },
    { at: { _lte: '$NOW' } },
    { at: { _gt: '$NOW(-1 day)' } },
    { code: { _nnull: true } },
    { code: { _in: ['a', 'new'] } },
  ])

const relatedCondition = (random: Random): Filter =>
  random.one<Filter>([
    { author: { team: '$CURRENT_USER.team' } },
    { author: { name: random.one(['Ada', 'Bo']) } },
    { author: { name: '$CURRENT_USER.name' } },
    { team: { members: { person: '$CURRENT_USER' } } },
    { team: { members: { _some: { person: '$CURRENT_USER', role: 'chief' } } } },
    { team: { members: { _none: { person: '$CURRENT_USER' } } } },
    { team: { name: 'red' } },
    { author: { notes: { _none: { state: 'open' } } } },
    { author: { notes: { _some: { views: { _gte: 7 } } } } },
    { author: { 'count(notes)': { _lte: 2 } } },
    { team: { '$FOLLOW(notes, team)': { _none: { state: 'done' } } } },
  ])

export function condition(random: Random): Filter {
  const one = () => (random.chance(0.65) ? ownCondition(random) : relatedCondition(random))
  return random.do<Filter>(
    one,
    one,
    one,
    one,
    () => ({ _or: [one(), one()] }),
    () => ({ _and: [one(), one()] }),
  )
}

const drawPresets = (random: Random): Data =>
  random.one<Data>([
    { author: '$CURRENT_USER' },
    { team: '$CURRENT_USER.team' },
    { team: random.one(teams) },
    { state: random.one(['open', 'done']) },
    { views: random.one([1, 7]) },
    { done: true, views: 1 },
    { at: '$NOW' },
    { author: '$CURRENT_USER', state: 'open' },
  ])

const writeRule = (random: Random, kind: 'create' | 'update' | 'delete'): Rule => ({
  ...(random.chance(0.35) &&
    kind !== 'delete' && { fields: noteFields.filter((name) => name === 'id' || random.chance(0.75)) }),
  ...(random.chance(0.6) && { filter: condition(random) }),
  ...(random.chance(0.5) && kind !== 'delete' && { validation: condition(random) }),
  ...(random.chance(0.3) && kind !== 'delete' && { presets: drawPresets(random) }),
})

/** Rules as everybody writes them, and such as allow together what none allows alone. */
const usualRules = (random: Random, kind: 'create' | 'update' | 'delete'): readonly Rule[] => {
  const own = { author: '$CURRENT_USER' }
  const team = { team: '$CURRENT_USER.team' }
  const member = { team: { members: { person: '$CURRENT_USER' } } }
  const some = () => noteFields.filter((name) => name === 'id' || random.chance(0.6))
  const each = () => ({ filter: ownCondition(random), validation: ownCondition(random) })
  const both = () => [each(), each()]
  if (kind === 'delete') return random.one([[{ filter: own }], [{ filter: team }, { filter: member }]])
  return random.do<readonly Rule[]>(
    () => [{ validation: random.one<Filter>([own, team, member, { at: { _lte: '$NOW' } }]) }],
    () => [{ filter: random.one([own, team]), validation: random.one([own, team]) }],
    () => [{ filter: ownCondition(random), validation: ownCondition(random) }],
    both,
    both,
    both,
    () => [{ fields: some() }, { fields: some() }],
    () => [
      { fields: some(), filter: ownCondition(random) },
      { filter: own, validation: ownCondition(random) },
    ],
    () => [{ presets: own, validation: ownCondition(random) }],
    () => [
      { ...each(), presets: drawPresets(random) },
      { filter: condition(random), presets: drawPresets(random) },
    ],
  )
}

const rulesFor = (random: Random, kind: 'create' | 'update' | 'delete'): readonly Rule[] => {
  if (random.chance(0.05)) return []
  if (random.chance(0.1)) return [{}]
  return random.chance(0.5) ? usualRules(random, kind) : random.many(1, 3, () => writeRule(random, kind))
}

const readRule = (random: Random): Rule => ({
  ...(random.chance(0.35) && { fields: noteFields.filter((name) => name === 'id' || random.chance(0.7)) }),
  ...(random.chance(0.5) && { filter: condition(random) }),
})

const targetRules = (
  random: Random,
  ...filters: readonly Filter[]
): Partial<Record<Action, readonly Rule[]>> =>
  random.do<Partial<Record<Action, readonly Rule[]>>>(
    () => ({}),
    () => ({ read: [{}] }),
    () => ({ read: [{ filter: random.one(filters) }] }),
    () => ({ read: [{ filter: random.one(filters) }] }),
  )

export const drawRules = (random: Random): NonNullable<Caller['rules']> => ({
  memberships: {},
  people: targetRules(
    random,
    { id: { _in: [1, 2] } },
    { team: '$CURRENT_USER.team' },
    { notes: { _some: { state: 'open' } } },
    { name: 'Ada' },
  ),
  teams: targetRules(
    random,
    { id: { _in: [1, 2] } },
    { members: { person: '$CURRENT_USER' } },
    { name: 'red' },
  ),
  notes: {
    read: random.chance(0.05) ? [] : random.chance(0.5) ? [{}] : random.many(1, 2, () => readRule(random)),
    create: rulesFor(random, 'create'),
    update: rulesFor(random, 'update'),
    delete: rulesFor(random, 'delete'),
  },
})

export const drawCaller = (random: Random, rules: Caller['rules']): Caller => ({
  ...(rules && { rules }),
  ...(random.chance(0.85) && {
    user: random.chance(0.1) ? null : random.one([...people, ...people, missing]),
  }),
  ...(random.chance(0.15) && { variables: { '$CURRENT_USER.team': random.one(teams) } }),
})

/** Values of the fields of notes. */
export const values: Readonly<Record<string, (random: Random, isUpdate: boolean) => unknown>> = {
  author: (random) => orNull(random, [...people, ...people, missing], 0.1),
  team: (random) => orNull(random, [...teams, ...teams, missing], 0.1),
  state: (random) => orNull(random, states, 0.05),
  views: (random, isUpdate) =>
    isUpdate && random.chance(0.4)
      ? { _inc: random.one([1, -6, 2, 2 ** 31 - 1]) }
      : random.chance(0.05)
        ? 'many'
        : orNull(random, amounts, 0.05),
  done: (random) => orNull(random, [true, false]),
  price: (random) => orNull(random, prices),
  at: (random) => orNull(random, moments),
  code: (random) => orNull(random, codes),
}

export function drawWrite(random: Random, { rules }: Caller, { notes }: Tables): Write {
  const readable = rules?.notes.read?.flatMap(({ fields }) => fields ?? noteFields) ?? noteFields
  const shown = noteFields.filter((name) => readable.includes(name))
  const fields =
    random.chance(0.4) || shown.length === 0
      ? {}
      : {
          fields: [random.one(shown), ...random.some(shown, 3)].filter(
            (name, at, all) => all.indexOf(name) === at,
          ),
        }
  const key = () =>
    random.chance(0.1) ? missing : (random.one(notes.length > 0 ? notes : [{ id: 1 }])?.id as number) // keys of notes are numbers
  const drawn = (names: readonly string[], isUpdate: boolean): Data =>
    Object.fromEntries(names.map((name) => [name, values[name]?.(random, isUpdate)]))
  const names = Object.keys(values)
  const text = JSON.stringify(rules?.notes ?? {})
  const judged = names.filter((name) => text.includes(`"${name}":`))
  const some = random.chance(0.6) && judged.length > 0 ? judged : names
  const changed = () => [...new Set([random.one(some), ...random.some(some, 2)])]
  const made = () => names.filter((name) => random.chance(name === 'state' || name === 'views' ? 0.85 : 0.5))
  const newId = () => (random.chance(0.7) ? { id: random.one([20, 21, 22, 23, 24, 25, 26, 1]) } : {})
  return random.do<Write>(
    () => ({ verb: 'create', data: { ...newId(), ...drawn(made(), false) }, ...fields }),
    () => ({ verb: 'create', data: { ...newId(), ...drawn(made(), false) }, ...fields }),
    () => ({ verb: 'update', key: key(), data: drawn(changed(), true), ...fields }),
    () => ({ verb: 'update', key: key(), data: drawn(changed(), true), ...fields }),
    () => ({ verb: 'update', key: key(), data: drawn(changed(), true), ...fields }),
    () => ({ verb: 'delete', key: key() }),
    () => ({
      verb: 'upsert',
      on: 'code',
      data: { ...newId(), ...drawn(random.chance(0.5) ? made() : changed(), false), code: random.one(codes) },
      ...fields,
    }),
  )
}

/** An update that two rules allow together and none alone: each part is kept by one of them. */
export function drawMixture(
  random: Random,
  { notes }: Tables,
): { readonly caller: Caller; readonly write: Write } {
  const row = random.one(notes)
  const [name, value] = random.one<readonly [string, Value]>([
    ['views', 5],
    ['team', 2],
    ['done', true],
    ['author', 1],
  ])
  const [met, unmet] = [{ id: row?.id ?? 1 }, { id: { _neq: row?.id ?? 1 } }]
  const [valid, invalid] = [{ [name]: value }, { [name]: { _neq: value } }]
  const update = random.one<readonly Rule[]>([
    [
      { filter: met, validation: invalid },
      { filter: unmet, validation: valid },
    ],
    [
      { filter: unmet, validation: valid },
      { filter: met, validation: invalid },
    ],
    [{ filter: unmet }, { fields: ['id', 'at'], filter: met }],
  ])
  const rules = { memberships: {}, people: {}, teams: {}, notes: { read: [{}], update } }
  return {
    caller: { user: 1, rules },
    write: { verb: 'update', key: Number(row?.id ?? 1), data: { [name]: value }, fields: ['id'] },
  }
}

/** Rows with a column for each field, in the order of the tables. */
export const columnsOf = (table: TableName): readonly string[] =>
  ({
    teams: ['id', 'name'],
    people: ['id', 'name', 'team'],
    memberships: ['id', 'team', 'person', 'role'],
    notes: noteFields,
  })[table]

export const valuesOf = (table: TableName, row: Row): readonly Value[] =>
  columnsOf(table).map((name) => row[name] ?? null)
