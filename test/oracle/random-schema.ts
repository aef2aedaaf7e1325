// Schemas drawn by chance: a few collections with keys and values of every kind, and every kind of relation.
import type { CollectionDefinition, FieldDefinition, SchemaDefinition } from '../../src/schema/definition.ts'
import type { Random } from '../property/seeded-random.ts'

type Fields = Record<string, FieldDefinition>
interface Draft {
  readonly name: string
  readonly fields: Fields
  options: Omit<CollectionDefinition, 'fields'>
}

export const scalarTypes = [
  'string',
  'text',
  'integer',
  'bigInteger',
  'float',
  'decimal',
  'boolean',
  'uuid',
  'date',
  'time',
  'dateTime',
  'timestamp',
  'json',
  'csv',
] as const
type ScalarType = (typeof scalarTypes)[number]

const collectionNames = ['articles', 'authors', 'tags', 'seiten', 'heroes']
const oddNames = ['order', 'größe', 'isFirst', "o'clock", 'x%y', 'toString', 'Title', 'a?b', 'a b']

/** `keys: 'any'` also draws keys of several parts, and a collection without one. */
export function randomSchema(
  random: Random,
  { keys = 'single' }: { keys?: 'single' | 'any' } = {},
): SchemaDefinition {
  const names = collectionNames.slice(0, 2 + random.below(3))
  const drafts = names.map((name) => randomCollection(random, name))
  if (keys === 'any') for (const draft of drafts) if (random.chance(0.3)) divideKey(random, draft)
  for (const draft of drafts) {
    for (let index = random.below(3); index >= 0; index--) addManyToOne(random, draft, drafts, index)
  }
  const single = drafts.filter(({ options }) => !options.key)
  if (single.length > 0 && random.chance(0.15)) addProfiles(random, drafts, random.one(single))
  if (random.chance(0.75)) addManyToMany(random, drafts, keys === 'any' && random.chance(0.5))
  if (random.chance(0.7)) addManyToAny(random, drafts)
  if (keys === 'any' && random.chance(0.4)) addLog(random, drafts)
  for (const draft of drafts) addSortField(random, draft)
  for (const draft of drafts) addConditions(random, draft, drafts)
  return Object.fromEntries(drafts.map(({ name, fields, options }) => [name, { ...options, fields }]))
}

function randomCollection(random: Random, name: string): Draft {
  const key = random.one(['integer', 'integer', 'uuid', 'string', 'binary'] as const)
  const fields: Fields = {
    [random.one(['id', 'id', 'code'])]: {
      type: key,
      key: true,
      ...keyForm(random, key),
      ...column(random, 'pk'),
    },
  }
  const types = new Set<ScalarType>([
    'string',
    'integer',
    ...random.many(3, 8, () => random.one(scalarTypes)),
  ])
  for (const type of types) fields[nameFor(random, type, fields)] = scalar(random, type)
  return { name, fields, options: random.chance(0.3) ? { table: `t_${name}` } : {} }
}

/** Gives a collection a key of several parts, of which the single one was may be one. */
function divideKey(random: Random, draft: Draft): void {
  const [single = 'id', ...rest] = Object.keys(draft.fields)
  const { [single]: first, ...others } = draft.fields
  const types = ['integer', 'string', 'uuid', 'bigInteger', 'date', 'decimal', 'binary'] as const
  const parts = random
    .many(2, 3, () => random.one(types))
    .map(
      (type, index) =>
        [`key${index}`, { type, ...keyForm(random, type), ...column(random, `k${index}`) }] as const,
    )
  const isInFront = random.chance(0.5)
  const own = Object.fromEntries(parts)
  for (const name of [single, ...rest]) delete draft.fields[name]
  Object.assign(draft.fields, isInFront ? { ...own, ...others } : { ...others, ...own })
  draft.options = {
    ...draft.options,
    key: random.chance(0.5) ? Object.keys(own) : Object.keys(own).reverse(),
  }
  if (!first) throw new Error('a collection without fields')
}

/** Adds a many-to-one field: with a column, or held by fields for each part of the target's key. */
function addLink(
  random: Random,
  fields: Fields,
  name: string,
  target: Draft,
  nullable: boolean,
  own: object,
): void {
  const { key } = target.options
  if (!key) {
    fields[name] = { type: 'm2o', to: target.name, nullable, ...own }
    return
  }
  const by = key.map((part, index) => {
    const field = target.fields[part]
    if (field?.type === undefined || !('nullable' in field || 'type' in field)) throw new Error('no part')
    const held = `${name}_${part}`
    const isNullable = nullable && (index === 0 || random.chance(0.5))
    if (field.type === 'm2o')
      addLink(random, fields, held, { ...target, name: field.to, options: {} }, isNullable, {})
    else fields[held] = { type: field.type, nullable: isNullable, ...formOf(field) } as FieldDefinition
    return held
  })
  fields[name] = { type: 'm2o', to: target.name, by }
}

/** Items that nothing identifies, some of them alike. */
function addLog(random: Random, drafts: Draft[]): void {
  const target = random.one(drafts)
  const fields: Fields = {
    string1: scalar(random, 'string'),
    integer1: scalar(random, 'integer'),
    date1: scalar(random, 'date'),
    boolean1: scalar(random, 'boolean'),
  }
  addLink(random, fields, 'about', target, true, {})
  drafts.push({ name: 'log', fields, options: { key: false } })
  target.fields.log_of_about = {
    type: 'o2m',
    from: 'log.about',
    ...(random.chance(0.4) && { sort: 'integer1' }),
  }
}

function nameFor(random: Random, type: ScalarType, fields: Fields): string {
  const odd = random.one(oddNames)
  if (type !== 'json' && random.chance(0.1) && !Object.hasOwn(fields, odd)) return odd
  return `${type}1`
}

function scalar(random: Random, type: ScalarType): FieldDefinition {
  const storages = ['text', 'seconds', 'milliseconds', 'native'] as const
  const isMoment = type === 'date' || type === 'time' || type === 'dateTime' || type === 'timestamp'
  return {
    type,
    nullable: random.chance(0.7),
    ...column(random, `c_${type}`),
    ...(type === 'decimal' && decimalForm(random)),
    ...(type === 'uuid' && uuidForm(random)),
    ...(isMoment && random.chance(0.5) && { storage: random.one(storages) }),
    ...(type === 'string' && random.chance(0.15) && { searchable: false }),
  }
}

/** How the values of a key are stored. */
const keyForm = (random: Random, type: FieldDefinition['type']) => ({
  ...(type === 'binary' && { encoding: 'hex' as const }),
  ...(type === 'uuid' && uuidForm(random)),
  ...(type === 'decimal' && decimalForm(random)),
})

const formOf = (field: FieldDefinition) => ({
  ...('storage' in field && { storage: field.storage }),
  ...('encoding' in field && { encoding: field.encoding }),
  ...('scale' in field && { precision: field.precision, scale: field.scale }),
})

const decimalForm = (random: Random) => ({ precision: 12, scale: random.below(5) })

const uuidForm = (random: Random) =>
  random.chance(0.4) ? { storage: random.one(['text', 'binary'] as const) } : {}

const column = (random: Random, name: string) =>
  random.chance(0.2) ? { column: random.one([name, name, `${name} "?.${name}`]) } : {}

function addManyToOne(random: Random, draft: Draft, drafts: readonly Draft[], index: number): void {
  const target = random.one(drafts)
  const name = target === draft ? `parent${index}` : `${target.name}${index}`
  addLink(random, draft.fields, name, target, random.chance(0.8), column(random, `fk${index}`))
  if (random.chance(0.3)) return
  const sort = random.chance(0.4) ? sortable(random, draft) : undefined
  target.fields[`${draft.name}_of_${name}`] = {
    type: 'o2m',
    from: `${draft.name}.${name}`,
    ...(sort && { sort }),
  }
}

/** Gives relations a condition, now and then: to many on their rows, to any collection on the items of each. */
function addConditions(random: Random, { fields }: Draft, drafts: readonly Draft[]): void {
  for (const [name, field] of Object.entries(fields)) {
    if (field.type === 'any') {
      const filters = field.to.flatMap((arm) => {
        const filter = random.chance(0.5) && conditionIn(random, arm, drafts)
        return filter ? [[arm, filter] as const] : []
      })
      fields[name] = { ...field, filter: Object.fromEntries(filters) }
    }
    if (field.type !== 'o2m' && field.type !== 'm2m' && field.type !== 'm2a') continue
    const [target = ''] = (field.type === 'o2m' ? field.from : field.through).split('.')
    const filter = random.chance(0.3) && conditionIn(random, target, drafts)
    if (filter) fields[name] = { ...field, filter }
  }
}

/** One operator on one field: whether there is a value, or which. */
function conditionIn(random: Random, target: string, drafts: readonly Draft[]): object | undefined {
  const all = Object.entries(drafts.find((one) => one.name === target)?.fields ?? {})
  const isPlain = (one: FieldDefinition) => one.type !== 'm2o' && one.type !== 'any' && 'nullable' in one
  const nullable = all.filter(([, one]) => isPlain(one) && 'nullable' in one && one.nullable)
  const compared = all.filter(([, one]) => isPlain(one) && ['integer', 'boolean'].includes(one.type))
  const some = random.chance(0.5) ? nullable : compared
  if (some.length === 0) return undefined
  const [tested, field] = random.one(some)
  if ('nullable' in field && field.nullable && random.chance(0.4))
    return { [tested]: { [random.chance(0.3) ? '_null' : '_nnull']: true } }
  if (field.type === 'boolean') return { [tested]: { [random.one(['_eq', '_neq'])]: random.chance(0.5) } }
  if (field.type !== 'integer') return { [tested]: { _nnull: true } }
  const operator = random.one(['_eq', '_neq', '_lt', '_gte', '_in', '_nin'])
  const operand = operator.endsWith('in') ? [0, 1, 3] : random.one([0, 1, 2])
  return { [tested]: { [operator]: operand } }
}

/** Items whose key is that of another item. */
function addProfiles(random: Random, drafts: Draft[], target: Draft): void {
  const fields: Fields = {
    [`${target.name}_key`]: { type: 'm2o', to: target.name, key: true },
    string1: scalar(random, 'string'),
    integer1: scalar(random, 'integer'),
  }
  drafts.push({ name: 'profiles', fields, options: {} })
  target.fields.profiles = { type: 'o2m', from: `profiles.${target.name}_key` }
}

function addManyToMany(random: Random, drafts: Draft[], isByBoth: boolean): void {
  const [left, right] = [random.one(drafts), random.one(drafts)]
  const fields: Fields = isByBoth ? {} : { id: { type: 'integer', key: true } }
  addLink(random, fields, 'left', left, !isByBoth && random.chance(0.5), {})
  addLink(random, fields, 'right', right, !isByBoth && random.chance(0.5), column(random, 'the_right'))
  const parts = Object.entries(fields).filter(([, field]) => !(field.type === 'm2o' && field.by))
  fields.position = { type: 'integer', nullable: true }
  fields.note = { type: 'string', nullable: true }
  const options = {
    ...(random.chance(0.3) && { table: 't_links' }),
    ...(isByBoth && { key: parts.map(([name]) => name) }),
  }
  drafts.push({ name: 'links', fields, options })
  const sort = () => (random.chance(0.5) ? { sort: 'position' } : {})
  left.fields.rights = { type: 'm2m', through: 'links.left', to: 'right', ...sort() }
  if (random.chance(0.6)) right.fields.lefts = { type: 'm2m', through: 'links.right', to: 'left', ...sort() }
}

function addManyToAny(random: Random, drafts: Draft[]): void {
  const home = random.one(drafts)
  const arms = [...new Set(random.many(1, 3, () => random.one(drafts).name))]
  const fields: Fields = {
    id: { type: random.one(['integer', 'uuid'] as const), key: true },
    kind: { type: 'string', nullable: true },
    item: { type: 'any', to: arms, by: 'kind', nullable: true },
    position: { type: 'integer', nullable: true },
  }
  addLink(random, fields, 'home', home, true, {})
  drafts.push({ name: 'blocks_of', fields, options: {} })
  home.fields.blocks = {
    type: 'm2a',
    through: 'blocks_of.home',
    to: 'item',
    ...(random.chance(0.5) && { sort: 'position' }),
  }
}

function addSortField(random: Random, draft: Draft): void {
  const sortField = random.chance(0.3) ? sortable(random, draft) : undefined
  if (sortField !== undefined) draft.options = { ...draft.options, sortField }
}

function sortable(random: Random, { fields }: Draft): string | undefined {
  const names = Object.keys(fields).filter((name) =>
    ['integer', 'string', 'date', 'decimal'].includes(fields[name]?.type ?? ''),
  )
  return names.length === 0 ? undefined : random.one(names)
}
