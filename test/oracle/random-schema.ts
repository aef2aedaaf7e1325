// Schemas drawn by chance: a few collections with keys and values of every kind, and every kind of relation.
import type { CollectionDefinition, FieldDefinition, SchemaDefinition } from '../../src/schema/definition.ts'
import type { Dice } from '../property/seeded-random.ts'

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

export function randomSchema(dice: Dice): SchemaDefinition {
  const names = collectionNames.slice(0, 2 + dice.below(3))
  const drafts = names.map((name) => randomCollection(dice, name))
  for (const draft of drafts) {
    for (let index = dice.below(3); index >= 0; index--) addManyToOne(dice, draft, drafts, index)
  }
  if (dice.chance(0.15)) addProfiles(dice, drafts)
  if (dice.chance(0.75)) addManyToMany(dice, drafts)
  if (dice.chance(0.7)) addManyToAny(dice, drafts)
  for (const draft of drafts) addSortField(dice, draft)
  return Object.fromEntries(drafts.map(({ name, fields, options }) => [name, { ...options, fields }]))
}

function randomCollection(dice: Dice, name: string): Draft {
  const key = dice.one(['integer', 'integer', 'uuid', 'string', 'binary'] as const)
  const form = {
    ...(key === 'binary' && { encoding: 'hex' as const }),
    ...(key === 'uuid' && uuidForm(dice)),
  }
  const fields: Fields = {
    [dice.one(['id', 'id', 'code'])]: { type: key, key: true, ...form, ...column(dice, 'pk') },
  }
  const types = new Set<ScalarType>(['string', 'integer', ...dice.many(3, 8, () => dice.one(scalarTypes))])
  for (const type of types) fields[nameFor(dice, type, fields)] = scalar(dice, type)
  return { name, fields, options: dice.chance(0.3) ? { table: `t_${name}` } : {} }
}

function nameFor(dice: Dice, type: ScalarType, fields: Fields): string {
  const odd = dice.one(oddNames)
  if (type !== 'json' && dice.chance(0.1) && !Object.hasOwn(fields, odd)) return odd
  return `${type}1`
}

function scalar(dice: Dice, type: ScalarType): FieldDefinition {
  const storages = ['text', 'seconds', 'milliseconds', 'native'] as const
  const isMoment = type === 'date' || type === 'time' || type === 'dateTime' || type === 'timestamp'
  return {
    type,
    nullable: dice.chance(0.7),
    ...column(dice, `c_${type}`),
    ...(type === 'decimal' && { precision: 12, scale: dice.below(5) }),
    ...(type === 'uuid' && uuidForm(dice)),
    ...(isMoment && dice.chance(0.5) && { storage: dice.one(storages) }),
    ...(type === 'string' && dice.chance(0.15) && { searchable: false }),
  }
}

const uuidForm = (dice: Dice) => (dice.chance(0.4) ? { storage: dice.one(['text', 'binary'] as const) } : {})

const column = (dice: Dice, name: string) =>
  dice.chance(0.2) ? { column: dice.one([name, name, `${name} "?.${name}`]) } : {}

function addManyToOne(dice: Dice, draft: Draft, drafts: readonly Draft[], index: number): void {
  const target = dice.one(drafts)
  const name = target === draft ? `parent${index}` : `${target.name}${index}`
  draft.fields[name] = {
    type: 'm2o',
    to: target.name,
    nullable: dice.chance(0.8),
    ...column(dice, `fk${index}`),
  }
  if (dice.chance(0.3)) return
  const sort = dice.chance(0.4) ? sortable(dice, draft) : undefined
  target.fields[`${draft.name}_of_${name}`] = {
    type: 'o2m',
    from: `${draft.name}.${name}`,
    ...(sort && { sort }),
  }
}

/** Items whose key is that of another item. */
function addProfiles(dice: Dice, drafts: Draft[]): void {
  const target = dice.one(drafts)
  const fields: Fields = {
    [`${target.name}_key`]: { type: 'm2o', to: target.name, key: true },
    string1: scalar(dice, 'string'),
    integer1: scalar(dice, 'integer'),
  }
  drafts.push({ name: 'profiles', fields, options: {} })
  target.fields.profiles = { type: 'o2m', from: `profiles.${target.name}_key` }
}

function addManyToMany(dice: Dice, drafts: Draft[]): void {
  const [left, right] = [dice.one(drafts), dice.one(drafts)]
  const fields: Fields = {
    id: { type: 'integer', key: true },
    left: { type: 'm2o', to: left.name, nullable: dice.chance(0.5) },
    right: { type: 'm2o', to: right.name, nullable: dice.chance(0.5), ...column(dice, 'the_right') },
    position: { type: 'integer', nullable: true },
    note: { type: 'string', nullable: true },
  }
  drafts.push({ name: 'links', fields, options: dice.chance(0.3) ? { table: 't_links' } : {} })
  const sort = () => (dice.chance(0.5) ? { sort: 'position' } : {})
  left.fields.rights = { type: 'm2m', through: 'links.left', to: 'right', ...sort() }
  if (dice.chance(0.6)) right.fields.lefts = { type: 'm2m', through: 'links.right', to: 'left', ...sort() }
}

function addManyToAny(dice: Dice, drafts: Draft[]): void {
  const home = dice.one(drafts)
  const arms = [...new Set(dice.many(1, 3, () => dice.one(drafts).name))]
  const fields: Fields = {
    id: { type: dice.one(['integer', 'uuid'] as const), key: true },
    home: { type: 'm2o', to: home.name, nullable: true },
    kind: { type: 'string', nullable: true },
    item: { type: 'any', to: arms, by: 'kind', nullable: true },
    position: { type: 'integer', nullable: true },
  }
  drafts.push({ name: 'blocks_of', fields, options: {} })
  home.fields.blocks = {
    type: 'm2a',
    through: 'blocks_of.home',
    to: 'item',
    ...(dice.chance(0.5) && { sort: 'position' }),
  }
}

function addSortField(dice: Dice, draft: Draft): void {
  const sortField = dice.chance(0.3) ? sortable(dice, draft) : undefined
  if (sortField !== undefined) draft.options = { ...draft.options, sortField }
}

function sortable(dice: Dice, { fields }: Draft): string | undefined {
  const names = Object.keys(fields).filter((name) =>
    ['integer', 'string', 'date', 'decimal'].includes(fields[name]?.type ?? ''),
  )
  return names.length === 0 ? undefined : dice.one(names)
}
