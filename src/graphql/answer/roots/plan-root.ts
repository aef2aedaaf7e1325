import { type FieldNode, type GraphQLObjectType, getNamedType, isNonNullType, isObjectType } from 'graphql'
import type { EngineInternals } from '../../../engine/engine.ts'
import { isEngineError, unreachable } from '../../../errors/errors.ts'
import type { Options } from '../../../execution/database.ts'
import type { ReadListResult } from '../../../items/read/read-list.ts'
import { type PlannedRead, planGroups, planTree, type TreeText } from '../../../items/read/read-tree.ts'
import { keyAsText } from '../../../plan/key.ts'
import { isToMany } from '../../../schema/model.ts'
import { once } from '../../../values/memo.ts'
import { missing } from '../../../writes/context/named-key.ts'
import { type Collecting, collectFields, type FieldNodes } from '../../document/collect-fields.ts'
import { keyArgument } from '../../document/key-argument.ts'
import { type Parameters, rootArguments } from '../../document/level-arguments.ts'
import { selectionOf } from '../../document/selection.ts'
import type { Extensions } from '../../schema/extra/extensions.ts'
import { meaningOf, type QueryRoot, type RootMeaning } from '../../schema/meaning.ts'
import { type BoundLevel, boundExtras } from '../extras/extras.ts'
import { functions } from '../functions.ts'
import { inDocument } from '../result-error.ts'
import { aggregateSelection } from './aggregate-answer.ts'

export interface RootField {
  readonly name: string
  readonly nodes: FieldNodes
  readonly type: GraphQLObjectType
  readonly engine: EngineInternals
  readonly collecting: Collecting
  readonly options: Options
  /** True to say which lists a default or maximum limit cut. */
  readonly reportsTruncated: boolean
  /** Fields that the host computes. Absent = the one who asks does it. */
  readonly extensions?: Extensions | undefined
}

/** A planned field. Fields with equal identities have one answer. */
export interface PlannedRoot extends Partial<Pick<PlannedRead<unknown>, 'explain' | 'rows' | 'mayBeLong'>> {
  readonly identity: () => string
  readonly isNullable: boolean
  /** How many fields it selects. */
  readonly selected?: number | undefined
  readonly run: () => Promise<TreeText>
  /** Fields in it that the host computes. Absent = there are none. */
  readonly extras?: BoundLevel | undefined
}

type Plan = (field: RootField, root: Root) => Promise<PlannedRoot>

interface Root {
  readonly collection: string
  readonly itemType: GraphQLObjectType
  readonly input: Parameters
  readonly level: Parameters
  readonly isNullable: boolean
}

export async function planRoot(field: RootField): Promise<PlannedRoot> {
  const { nodes, type, collecting } = field
  const [node] = nodes
  const definition = type.getFields()[node.name.value]
  const meaning = definition && meaningOf(definition)
  const itemType = definition && getNamedType(definition.type)
  if (!definition || !isObjectType(itemType) || !isQuery(meaning))
    throw unreachable('a field without a meaning')
  const { input, level } = rootArguments(definition, nodes, collecting)
  const { root, collection } = meaning
  return plans[root](field, {
    collection,
    itemType,
    input,
    level,
    isNullable: !isNonNullType(definition.type),
  })
}

/** Plans a list of items, whichever field asks for it. */
export const planListed = planItems('text')

const isQuery = (meaning: object | undefined): meaning is RootMeaning & { readonly root: QueryRoot } =>
  meaning !== undefined && 'root' in meaning && Object.hasOwn(plans, String(meaning.root))

const plans: Readonly<Record<QueryRoot, Plan>> = {
  list: planItems('text'),
  one: planItems('one'),
  versioned: planVersion,
  singleton: planItems('singleton'),
  aggregate: planAggregate,
}

function planItems(verb: 'text' | 'one' | 'singleton'): Plan {
  return async (
    { nodes, engine, collecting, options, reportsTruncated, extensions },
    { collection, itemType, input, level, isNullable },
  ) => {
    const { tree, size, deepOf, nodes: levels, extras: extra } = selectionOf(itemType, nodes, collecting)
    const deep = deepOf(collecting.variables)
    const query: Record<string, unknown> = { ...level }
    if (Object.keys(deep).length > 0) query.deep = deep
    if (input.version !== undefined) query.version = input.version
    if (reportsTruncated) query.meta = reportedMeta.meta
    const key = verb === 'one' ? keyArgument(engine.schema, collection)(input.id) : undefined
    const read = { verb, collection, query, tree, key }
    const plan = () => planTree(engine, read, options)
    const planned = await inDocument(levels, verb === 'one' ? () => plannedOrMissing(plan) : plan)
    const found = verb === 'one' ? existing(planned.run) : planned.run
    const identity = once(() => JSON.stringify([verb, collection, query, tree.id, key]))
    const extras =
      extra &&
      extensions &&
      boundExtras(extra, collecting.variables, {
        ...{ extensions, engine: engine.asEngine(), signal: options.signal },
      })
    const { explain, rows, mayBeLong } = planned
    const run = async () => inDocument(levels, found)
    return { explain, rows, mayBeLong, identity, isNullable, selected: size, extras, run }
  }
}

const reportedMeta = { meta: ['truncated'] }

/** A text that can be no key is the key of no item: the request is right, and finds nothing. */
async function plannedOrMissing(plan: () => Promise<PlannedRead<TreeText>>): Promise<PlannedRead<TreeText>> {
  try {
    return await plan()
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'NOT_FOUND') throw error
    return { explain: undefined, rows: undefined, mayBeLong: false, run: () => Promise.reject(error) }
  }
}

/** Refuses an item that does not exist, as every function does that is given a key. */
const existing = (run: () => Promise<TreeText>) => async (): Promise<TreeText> => {
  const found = await run()
  if (found.text === 'null') throw missing()
  return found
}

/** A version shows what it changes of relations as it is stored, beside the values of its item. */
async function planVersion(field: RootField, root: Root): Promise<PlannedRoot> {
  const { nodes, engine, collecting, options } = field
  const { collection, itemType, input, isNullable } = root
  const fields = collectFields(itemType, nodes, collecting)
  const shown = [...fields].flatMap(([name, [node]]) => (node ? [versionMember(name, node, itemType)] : []))
  const found = engine.schema.collections.get(collection)
  const values = shown.flatMap(({ field: word }) => {
    const own = word === undefined ? undefined : found?.fields.get(word)
    return own && !isToMany(own) ? [own.name] : []
  })
  const query = { fields: values.length > 0 ? values : ['*'], version: input.version, versionRaw: true }
  const key = keyArgument(engine.schema, collection)(input.id)
  const read = (): Promise<unknown> =>
    found?.isSingleton
      ? functions.getSingleton(engine.asEngine(), collection, query, options)
      : functions.getItem(engine.asEngine(), collection, key, query, options)
  return {
    identity: once(() =>
      JSON.stringify(['version', collection, key, query, shown.map(({ name, field: word }) => [name, word])]),
    ),
    isNullable,
    selected: shown.length,
    run: async () => {
      const item = Object(await read())
      const text = JSON.stringify(Object.fromEntries(shown.map(({ name, show }) => [name, show(item)])))
      return { text, truncated: [] }
    },
  }
}

function versionMember(name: string, node: FieldNode, type: GraphQLObjectType) {
  const field = type.getFields()[node.name.value]
  const meaning = field && meaningOf(field)
  if (!field || !meaning || !('field' in meaning))
    return { name, field: undefined, show: () => (node.name.value === '__typename' ? type.name : null) }
  const { field: word } = meaning
  const isKey = getNamedType(field.type).name === 'ID'
  return {
    name,
    field: word,
    show: (item: Readonly<Record<string, unknown>>) => (isKey ? keyAsText(item[word]) : (item[word] ?? null)),
  }
}

async function planAggregate(
  { nodes, engine, collecting, options, reportsTruncated }: RootField,
  { collection, itemType, level, isNullable }: Root,
): Promise<PlannedRoot> {
  const { query, write, identity, size } = aggregateSelection(itemType, nodes, level, collecting)
  const requested = reportsTruncated ? { ...query, ...reportedMeta } : query
  const { run, explain } = await planGroups(engine, collection, requested, options)
  return {
    identity: once(() => JSON.stringify(['aggregate', collection, query, identity])),
    isNullable,
    selected: size,
    explain,
    run: async () => {
      const { data, meta } = await run()
      return { text: `[${data.map(write).join(',')}]`, truncated: isTruncated(meta) ? [''] : [] }
    },
  }
}

const isTruncated = (meta: ReadListResult['meta']): boolean =>
  Array.isArray(meta?.truncated) && meta.truncated.length > 0
