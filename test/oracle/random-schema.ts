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

/** `keys: 'any'` also draws keys of several parts, and a collection without one. */
export function randomSchema(
  dice: Dice,
  { keys = 'single' }: { keys?: 'single' | 'any' } = {},
): SchemaDefinition {
  const names = collectionNames.slice(0, 2 + dice.below(3))
  const drafts = names.map((name) => randomCollection(dice, name))
  if (keys === 'any') for (const draft of drafts) if (dice.chance(0.3)) divideKey(dice, draft)
  for (const draft of drafts) {
    for (let index = dice.below(3); index >= 0; index--) addManyToOne(dice, draft, drafts, index)
  }
  const single = drafts.filter(({ options }) => !options.key)
  if (single.length > 0 && dice.chance(0.15)) addProfiles(dice, drafts, dice.one(single))
  if (dice.chance(0.75)) addManyToMany(dice, drafts, keys === 'any' && dice.chance(0.5))
  if (dice.chance(0.7)) addManyToAny(dice, drafts)
  if (keys === 'any' && dice.chance(0.4)) addLog(dice, drafts)
  for (const draft of drafts) addSortField(dice, draft)
  return Object.fromEntries(drafts.map(({ name, fields, options }) => [name, { ...options, fields }]))
}

function randomCollection(dice: Dice, name: string): Draft {
  const key = dice.one(['integer', 'integer', 'uuid', 'string', 'binary'] as const)
  const fields: Fields = {
    [dice.one(['id', 'id', 'code'])]: { type: key, key: true, ...keyForm(dice, key), ...column(dice, 'pk') },
  }
  const types = new Set<ScalarType>(['string', 'integer', ...dice.many(3, 8, () => dice.one(scalarTypes))])
  for (const type of types) fields[nameFor(dice, type, fields)] = scalar(dice, type)
  return { name, fields, options: dice.chance(0.3) ? { table: `t_${name}` } : {} }
}

/** Gives a collection a key of several parts, of which the single one was may be one. */
function divideKey(dice: Dice, draft: Draft): void {
  const [single = 'id', ...rest] = Object.keys(draft.fields)
  const { [single]: first, ...others } = draft.fields
  const types = ['integer', 'string', 'uuid', 'bigInteger', 'date', 'decimal', 'binary'] as const
  const parts = dice
    .many(2, 3, () => dice.one(types))
    .map(
      (type, index) =>
        [`key${index}`, { type, ...keyForm(dice, type), ...column(dice, `k${index}`) }] as const,
    )
  const isInFront = dice.chance(0.5)
  const own = Object.fromEntries(parts)
  for (const name of [single, ...rest]) delete draft.fields[name]
  Object.assign(draft.fields, isInFront ? { ...own, ...others } : { ...others, ...own })
  draft.options = { ...draft.options, key: dice.chance(0.5) ? Object.keys(own) : Object.keys(own).reverse() }
  if (!first) throw new Error('a collection without fields')
}

/** Adds a many-to-one field: with a column, or held by fields for each part of the target's key. */
function addLink(
  dice: Dice,
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
    const isNullable = nullable && (index === 0 || dice.chance(0.5))
    if (field.type === 'm2o')
      addLink(dice, fields, held, { ...target, name: field.to, options: {} }, isNullable, {})
    else
      fields[held] = {
        type: field.type,
        nullable: isNullable,
        ...formOf(field),
      } as FieldDefinition
    return held
  })
  fields[name] = { type: 'm2o', to: target.name, by }
}

/** Items that nothing identifies, some of them alike. */
function addLog(dice: Dice, drafts: Draft[]): void {
  const target = dice.one(drafts)
  const fields: Fields = {
    string1: scalar(dice, 'string'),
    integer1: scalar(dice, 'integer'),
    date1: scalar(dice, 'date'),
    boolean1: scalar(dice, 'boolean'),
  }
  addLink(dice, fields, 'about', target, true, {})
  drafts.push({ name: 'log', fields, options: { key: false } })
  target.fields.log_of_about = {
    type: 'o2m',
    from: 'log.about',
    ...(dice.chance(0.4) && { sort: 'integer1' }),
  }
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
    ...(type === 'decimal' && decimalForm(dice)),
    ...(type === 'uuid' && uuidForm(dice)),
    ...(isMoment && dice.chance(0.5) && { storage: dice.one(storages) }),
    ...(type === 'string' && dice.chance(0.15) && { searchable: false }),
  }
}

/** How the values of a key are stored. */
const keyForm = (dice: Dice, type: FieldDefinition['type']) => ({
  ...(type === 'binary' && { encoding: 'hex' as const }),
  ...(type === 'uuid' && uuidForm(dice)),
  ...(type === 'decimal' && decimalForm(dice)),
})

const formOf = (field: FieldDefinition) => ({
  ...('storage' in field && { storage: field.storage }),
  ...('encoding' in field && { encoding: field.encoding }),
  ...('scale' in field && { precision: field.precision, scale: field.scale }),
})

const decimalForm = (dice: Dice) => ({ precision: 12, scale: dice.below(5) })

const uuidForm = (dice: Dice) => (dice.chance(0.4) ? { storage: dice.one(['text', 'binary'] as const) } : {})

const column = (dice: Dice, name: string) =>
  dice.chance(0.2) ? { column: dice.one([name, name, `${name} "?.${name}`]) } : {}

function addManyToOne(dice: Dice, draft: Draft, drafts: readonly Draft[], index: number): void {
  const target = dice.one(drafts)
  const name = target === draft ? `parent${index}` : `${target.name}${index}`
  addLink(dice, draft.fields, name, target, dice.chance(0.8), column(dice, `fk${index}`))
  if (dice.chance(0.3)) return
  const sort = dice.chance(0.4) ? sortable(dice, draft) : undefined
  target.fields[`${draft.name}_of_${name}`] = {
    type: 'o2m',
    from: `${draft.name}.${name}`,
    ...(sort && { sort }),
  }
}

/** Items whose key is that of another item. */
function addProfiles(dice: Dice, drafts: Draft[], target: Draft): void {
  const fields: Fields = {
    [`${target.name}_key`]: { type: 'm2o', to: target.name, key: true },
    string1: scalar(dice, 'string'),
    integer1: scalar(dice, 'integer'),
  }
  drafts.push({ name: 'profiles', fields, options: {} })
  target.fields.profiles = { type: 'o2m', from: `profiles.${target.name}_key` }
}

function addManyToMany(dice: Dice, drafts: Draft[], isByBoth: boolean): void {
  const [left, right] = [dice.one(drafts), dice.one(drafts)]
  const fields: Fields = isByBoth ? {} : { id: { type: 'integer', key: true } }
  addLink(dice, fields, 'left', left, !isByBoth && dice.chance(0.5), {})
  addLink(dice, fields, 'right', right, !isByBoth && dice.chance(0.5), column(dice, 'the_right'))
  const parts = Object.entries(fields).filter(([, field]) => !(field.type === 'm2o' && field.by))
  fields.position = { type: 'integer', nullable: true }
  fields.note = { type: 'string', nullable: true }
  const options = {
    ...(dice.chance(0.3) && { table: 't_links' }),
    ...(isByBoth && { key: parts.map(([name]) => name) }),
  }
  drafts.push({ name: 'links', fields, options })
  const sort = () => (dice.chance(0.5) ? { sort: 'position' } : {})
  left.fields.rights = { type: 'm2m', through: 'links.left', to: 'right', ...sort() }
  if (dice.chance(0.6)) right.fields.lefts = { type: 'm2m', through: 'links.right', to: 'left', ...sort() }
}

function addManyToAny(dice: Dice, drafts: Draft[]): void {
  const home = dice.one(drafts)
  const arms = [...new Set(dice.many(1, 3, () => dice.one(drafts).name))]
  const fields: Fields = {
    id: { type: dice.one(['integer', 'uuid'] as const), key: true },
    kind: { type: 'string', nullable: true },
    item: { type: 'any', to: arms, by: 'kind', nullable: true },
    position: { type: 'integer', nullable: true },
  }
  addLink(dice, fields, 'home', home, true, {})
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
