// Plans the answers of a subscription: once for each document, and again when its caller may see something else.

import { type FieldNode, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import type { EngineInternals } from '../../engine/engine.ts'
import { fault } from '../../errors/errors.ts'
import { amongIds } from '../../http/search-query.ts'
import type { Rights } from '../../realtime/feed/feed-caller.ts'
import type { Collection } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { beyondPlan } from '../answer/answer.ts'
import { dataText, memberText } from '../answer/answer-text.ts'
import { withExtras } from '../answer/extras/extend-answers.ts'
import { countedBeyond } from '../answer/operation-rows.ts'
import { ResultBudget } from '../answer/result-budget.ts'
import { fieldErrors, type ResultError } from '../answer/result-error.ts'
import { type PlannedRoot, planListed } from '../answer/roots/plan-root.ts'
import { collectFields, type FieldNodes } from '../document/collect-fields.ts'
import { rootArguments } from '../document/level-arguments.ts'
import { type EventMeaning, meaningOf } from '../schema/meaning.ts'
import type { EventTexts } from './event-texts.ts'
import type { ReadOperation, RefusedOperation } from './operation-context.ts'

/** A change of an item, as subscribers receive it. */
export interface ItemEvent {
  readonly id: string
  readonly kind: 'create' | 'update' | 'delete'
}

interface PlannedEvents {
  readonly collection: string
  readonly filter: Readonly<Record<string, unknown>> | undefined
  readonly rights: Rights
  readonly wants: (event: ItemEvent) => boolean
  /** Returns the text of the answer for an event; undefined if the item no longer matches, which another event reports. */
  readonly answerTo: (event: ItemEvent, token: string, rights: Rights) => Promise<string | undefined>
}

/** The data that an event is asked for, by one name. */
interface DataField {
  readonly member: string
  readonly nodes: FieldNodes
  readonly itemType: GraphQLObjectType
}

interface DataRoot extends PlannedRoot {
  readonly name: string
  readonly node: FieldNode
}

/** Plans a subscription. It has one field, as validation has shown, unless a variable leaves that out. */
export async function planEvents(
  operation: ReadOperation,
  texts: EventTexts,
): Promise<PlannedEvents | RefusedOperation> {
  const { fields, type, collecting, rights, reporting, extensions, options, maxRows } = operation
  const [[name, nodes] = ['', undefined]] = fields
  const definition = nodes && type.getFields()[nodes[0].name.value]
  const meaning = definition && meaningOf(definition)
  const eventType = definition && getNamedType(definition.type)
  if (!nodes || !definition || !isObjectType(eventType) || !meaning || !('root' in meaning)) throw noField()
  const { collection } = meaning
  const { input, level } = rootArguments(definition, nodes, collecting)
  const filter = isRecord(level.filter) ? level.filter : undefined
  const members = [...collectFields(eventType, nodes, collecting)]
  const data = members.flatMap((member) => dataIn(member, eventType))

  const failed = (error: unknown, node: FieldNode, member: string) =>
    fieldErrors(error, { node, path: [name, member], reporting })

  /** Plans the data of an item, or of any item. */
  const planData = async (engine: EngineInternals, id?: string) => {
    const roots: DataRoot[] = []
    const problems: ResultError[] = []
    for (const { member, nodes, itemType } of data)
      try {
        const field = {
          name: member,
          nodes,
          type,
          engine,
          collecting,
          options,
          reportsTruncated: false,
          extensions,
        }
        const own = id === undefined ? filter : withKey(id, filter, engine.schema.collections.get(collection))
        const listed = { ...(own && { filter: own }), limit: 1 }
        const root = { collection, itemType, input: {}, level: listed, isNullable: true }
        roots.push({ name: member, node: nodes[0], ...(await planListed(field, root)) })
      } catch (error) {
        problems.push(...failed(error, nodes[0], member))
      }
    if (problems.length > 0) return { roots, problems }
    const beyond =
      beyondPlan(roots, engine, maxRows) ?? (id === undefined ? undefined : await countedBeyond(roots))
    if (beyond) problems.push(...failed(beyond.error, beyond.root.node, beyond.root.name))
    return { roots, problems }
  }

  /** Reads data; undefined if the item is no longer there. */
  const readData = async (
    root: DataRoot,
    token: string,
    engine: EngineInternals,
  ): Promise<{ readonly text: string; readonly errors: readonly ResultError[] } | undefined> => {
    try {
      const text = await texts.of(root, { collection, engine, token }, options.signal)
      if (text === '[]') return undefined
      const scope = { budget: new ResultBudget(engine.limits), reporting }
      const settled = [{ status: 'fulfilled', value: { text, truncated: [] } }] as const
      const [extended] = (await withExtras([root], settled, scope)) ?? []
      const errors = [...(extended?.excess ?? []), ...(extended?.errors ?? [])]
      return {
        text: onlyItem(extended?.text ?? text),
        errors: errors.map((one) => placed(one, [name, root.name])),
      }
    } catch (error) {
      return { text: 'null', errors: failed(error, root.node, root.name) }
    }
  }

  const { problems } = await planData(operation.engine)
  if (problems.length > 0) return { problems }
  return {
    ...{ collection, filter, rights },
    wants: ({ kind }) => input.event === undefined || input.event === kind,
    answerTo: async (event, token, { engine }) => {
      const found = new Map<string, string>()
      const errors: ResultError[] = []
      if (event.kind !== 'delete' && data.length > 0) {
        const { roots, problems } = await planData(engine, event.id)
        errors.push(...problems)
        for (const root of problems.length > 0 ? [] : roots) {
          const read = await readData(root, token, engine)
          if (!read) return undefined
          found.set(root.name, read.text)
          errors.push(...read.errors)
        }
      }
      const shown = members.map(([member, [node]]) =>
        memberText(member, plainText(node, event, eventType) ?? found.get(member) ?? 'null'),
      )
      return dataText([memberText(name, `{${shown.join(',')}}`)], errors)
    },
  }
}

function partOf(node: FieldNode, type: GraphQLObjectType): EventMeaning['event'] | undefined {
  const field = type.getFields()[node.name.value]
  const meaning = field && meaningOf(field)
  return meaning && 'event' in meaning ? meaning.event : undefined
}

function dataIn(
  [member, nodes]: readonly [string, FieldNodes],
  type: GraphQLObjectType,
): readonly DataField[] {
  const [node] = nodes
  const field = type.getFields()[node.name.value]
  const itemType = field && getNamedType(field.type)
  return partOf(node, type) === 'data' && isObjectType(itemType) ? [{ member, nodes, itemType }] : []
}

/** Returns the text of what is no data. */
function plainText(node: FieldNode, { id, kind }: ItemEvent, type: GraphQLObjectType): string | undefined {
  const part = partOf(node, type)
  if (part === 'data') return undefined
  return JSON.stringify(part === 'key' ? id : part === 'event' ? kind : type.name)
}

/** Returns the filter of the item with a key, if it still meets one. */
function withKey(id: string, filter: object | undefined, keyed: Collection | undefined): object {
  if (!keyed) throw fault('FORBIDDEN', 'This caller may not see the collection any more.')
  const ofKey = amongIds(keyed, [id])
  return filter ? { _and: [ofKey, filter] } : ofKey
}

const onlyItem = (text: string): string => text.slice(text.indexOf('[') + 1, text.lastIndexOf(']'))

/** Returns an error of a list of one item with the place of that item. */
const placed = (error: ResultError, place: readonly string[]): ResultError => ({
  ...error,
  path: [...place, ...(error.path ?? []).slice(2)],
})

const noField = () => fault('INVALID_QUERY', 'A subscription has one field.')
