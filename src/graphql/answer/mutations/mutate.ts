// Fields of a mutation: what each writes, and the answer that it gives.
import { type FieldNode, type GraphQLObjectType, getNamedType, isNonNullType, isObjectType } from 'graphql'
import { actionContext } from '../../../engine/action-context.ts'
import { type Engine, type EngineInternals, internalsOf } from '../../../engine/engine.ts'
import { fault, unreachable } from '../../../errors/errors.ts'
import type { Options } from '../../../execution/database.ts'
import { type Soon, soon } from '../../../execution/soon.ts'
import { createAll, createMany } from '../../../items/create.ts'
import { type AnswerQuery, answerShape } from '../../../items/read/answer-shape.ts'
import { updateOnly } from '../../../items/singleton.ts'
import { updateMany, updateOne } from '../../../items/update.ts'
import { type UpsertOptions, upsertAll, upsertMany, withoutOn } from '../../../items/upsert.ts'
import { refuseLong } from '../../../writes/authorize/long-lists.ts'
import { refuseFromOutside } from '../../../writes/authorize/nested-row-numbers.ts'
import type { NamedRows } from '../../../writes/locks/lock-first.ts'
import { type Collecting, collectFields, type FieldNodes } from '../../document/collect-fields.ts'
import type { LevelNodes } from '../../document/document-selection.ts'
import { idsArgument, keyArgument } from '../../document/key-argument.ts'
import { filterIn, rootArguments } from '../../document/level-arguments.ts'
import { payloadArgument, withIncrements } from '../../document/payload-argument.ts'
import { selectionOf } from '../../document/selection.ts'
import type { Levels } from '../../document/selection-levels.ts'
import type { Extensions } from '../../schema/extra/extensions.ts'
import { type MutationRoot, meaningOf, type RootMeaning } from '../../schema/meaning.ts'
import { exactText, withTexts } from '../exact-numbers.ts'
import { type BoundLevel, boundExtras } from '../extras/extras.ts'
import { functions } from '../functions.ts'
import { inDocument } from '../result-error.ts'

/** A field of a mutation, planned before anything is written. */
export interface PlannedWrite {
  readonly isNullable: boolean
  /** How many fields it selects. */
  readonly selected?: number | undefined
  readonly run: (inside: Engine) => Soon<unknown>
  /** Rows that its arguments name, to be locked before the first field of several writes. */
  readonly names: () => NamedRows | undefined
  /** Fields in its answer that the host computes. Absent = there are none. */
  readonly extras?: BoundLevel | undefined
  /** Returns what was returned as JSON text. */
  readonly write: (result: unknown) => string
}

interface WriteField {
  readonly nodes: FieldNodes
  readonly type: GraphQLObjectType
  readonly engine: Engine
  readonly collecting: Collecting
  readonly options: Options
  /** Fields that the host computes. Absent = the one who asks does it. */
  readonly extensions?: Extensions | undefined
  /** True to return exact numbers as texts, to be written with all their digits. */
  readonly isWritten: boolean
}

/** Plans a field of `Mutation`: its arguments and what it returns are checked. */
export function planWrite({
  nodes,
  type,
  engine,
  collecting,
  options,
  extensions,
  isWritten,
}: WriteField): PlannedWrite {
  const [node] = nodes
  const field = type.getFields()[node.name.value]
  const meaning = field && meaningOf(field)
  if (!field || !isMutation(meaning)) throw unreachable('a field without a meaning')
  const { input, level } = rootArguments(field, nodes, collecting)
  const narrowing = Object.keys(level).filter((name) => name !== 'sort' && level[name] !== ofAll.get(name))
  if (narrowing.length > 0)
    throw fault(
      'INVALID_QUERY',
      `"${narrowing[0]}" has no meaning here: all items that are written are returned.`,
      {
        path: narrowing.slice(0, 1),
      },
    )
  const { root, collection } = meaning

  const itemType = getNamedType(field.type)
  const isShown = isObjectType(itemType)
  const isDeletion = root === 'deleteOne' || root === 'deleteMany'
  const selection = isShown && !isDeletion ? selectionOf(itemType, nodes, collecting) : undefined
  const tree = selection && isWritten ? withTexts(selection.tree) : selection?.tree
  const query = selection && queryOf(selection.deepOf(collecting.variables), level)
  const levels: LevelNodes = selection?.nodes ?? new Map()
  if (query) inDocument(levels, () => answerShape(internalsOf(engine), collection, { query, tree }))
  const extras =
    selection?.extras &&
    extensions &&
    boundExtras(selection.extras, collecting.variables, { extensions, engine, signal: options.signal })
  const dataArgument = field.args.find(({ name }) => name === 'data')
  const added = field.args.find(({ name }) => name === 'inc')
  const data =
    dataArgument &&
    withIncrements(
      payloadArgument(input.data, dataArgument.type),
      added && { value: input.inc, type: added.type },
    )
  refuseLong(input.ids, internalsOf(engine).limits, ['ids'])
  refuseFromOutside(internalsOf(engine), collection, data, ['data'])
  const ids = root === 'updateOne' || root === 'deleteOne' ? [input.id] : idsArgument(input)
  const keys =
    ids.length > 0 ? ids.map(keyArgument(actionContext(internalsOf(engine)).whole, collection)) : ids
  const where = filterIn(field, input, 'where')
  const written: Written = { collection, input, where, data, query, tree, keys, options }
  return {
    isNullable: !isNonNullType(field.type),
    names: () => ({
      ...{ collection, keys, use: isDeletion ? 'removal' : 'change' },
      payloads: Array.isArray(data) ? data : [data],
    }),
    selected: selection?.size,
    extras,
    write: (result) => (selection ? exactText(result, selection.tree) : JSON.stringify(result)),
    run: (inside) => {
      const work = (): Soon<unknown> => writes[root](internalsOf(inside), written)
      return soon(inDocument(levels, work), (result) => {
        if (!isShown) return true
        if (isDeletion) return deletionOf(itemType, nodes, collecting, Object(result))
        // Items that the caller does not see are left out.
        return Array.isArray(result) ? result.filter((item) => item !== null) : (result ?? null)
      })
    },
  }
}

/** Arguments of lists that leave all items in. The installed base sends them along. */
const ofAll: ReadonlyMap<string, unknown> = new Map([
  ['limit', -1],
  ['page', 1],
  ['offset', 0],
])

const queryOf = (deep: Levels, { sort }: Levels): Levels =>
  Array.isArray(sort) && sort.length > 0 ? { deep, sort } : { deep }

const isMutation = (meaning: object | undefined): meaning is RootMeaning & { readonly root: MutationRoot } =>
  meaning !== undefined && 'root' in meaning && Object.hasOwn(writes, String(meaning.root))

interface Written extends AnswerQuery {
  readonly collection: string
  readonly input: Readonly<Record<string, unknown>>
  readonly where: Readonly<Record<string, unknown>> | undefined
  readonly data: unknown
  /** Keys that its arguments name. */
  readonly keys: readonly unknown[]
  readonly options: Options
}

/** The names and payloads of a document are checked by the functions themselves. */
const writes = {
  createOne: (engine, { collection, data, query, tree, options }) =>
    soon(
      createAll(engine, collection, { query, tree, data: [{ payload: data, path: [] }] }, options),
      firstOf,
    ),
  createMany: (engine, { collection, data = [], query, tree, options }) =>
    createMany(engine, collection, { query, tree, data }, options),
  upsertOne: async (engine, { collection, input, where, data, query, tree, options }) => {
    const items = { query, tree, data: [{ payload: data, path: [] }] }
    return (await upsertAll(engine, collection, items, { ...options, ...upsertOf(input, where) })).result[0]
  },
  upsertMany: async (engine, { collection, input, where, data = [], query, tree, options }) => {
    const items = { query, tree, data }
    return (await upsertMany(engine, collection, items, { ...options, ...upsertOf(input, where) })).result
  },
  updateOne: (engine, { collection, keys: [key], data, query, tree, options }) =>
    soon(updateOne(engine, collection, { query, tree, key, data }, options), firstOf),
  updateMany: (engine, { collection, keys, data, query, tree, options }) =>
    updateMany(engine, collection, { query, tree, data: { kind: 'keys', keys, data } }, options),
  updateBatch: (engine, { collection, data, query, tree, options }) => {
    const items = Array.isArray(data) ? data : []
    return updateMany(engine, collection, { query, tree, data: { kind: 'items', items } }, options)
  },
  updateSingleton: (engine, { collection, data, query, tree, options }) =>
    updateOnly(engine, collection, { query, tree, data }, options),
  deleteOne: async (engine, { collection, input: { id }, keys: [key], options }) => {
    await functions.deleteItem(engine.asEngine(), collection, key, options)
    return { id }
  },
  deleteMany: async (engine, { collection, input, keys, options }) => {
    await functions.deleteItems(engine.asEngine(), collection, keys, undefined, options)
    return { ids: idsArgument(input) }
  },
} satisfies Record<MutationRoot, (engine: EngineInternals, written: Written) => Soon<unknown>>

const firstOf = ([first]: readonly unknown[]): unknown => first

/** Returns the fields by which an upsert finds items: those that are named, or by default those of the key; and the filter of what it updates. */
function upsertOf({ on }: Levels, where: Levels | undefined): Pick<UpsertOptions, 'on' | 'where'> {
  if (!where) return Array.isArray(on) ? { on } : {}
  if (!Array.isArray(on)) throw withoutOn('INVALID_QUERY')
  return { on, where }
}

/** Returns what a deletion answers: the keys as they were given. */
function deletionOf(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  collecting: Collecting,
  result: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const fields = collectFields(type, nodes, collecting)
  return Object.fromEntries(
    [...fields].map(([name, [node]]) => {
      const word = node?.name.value ?? name
      return [name, word === '__typename' ? type.name : result[word]]
    }),
  )
}
