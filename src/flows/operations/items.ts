// Operations on items: the verbs of the engine, with the rights of the operation.
import { z } from 'zod'
import { createItem, createItems } from '../../items/create.ts'
import { deleteByQuery, deleteItems } from '../../items/delete.ts'
import { getItem } from '../../items/get.ts'
import { listItems } from '../../items/list.ts'
import { updateEach, updateItem, updateItems } from '../../items/update.ts'
import { updateByQuery } from '../../items/write/update-by-query.ts'
import { defineOperation } from '../operation-type.ts'
import { badValue } from '../reject.ts'
import { amongKeys, chosenAtMost, chosenItems, keyReading } from './chosen-items.ts'

const collection = { schema: z.string().min(1), role: 'name', doc: 'The collection.' } as const

const anyKey = z.union([z.string().min(1), z.number(), z.array(z.union([z.string(), z.number()])).min(1)])

const key = { schema: anyKey.optional(), role: 'key', doc: 'The key of one item.' } as const

const keys = { schema: z.array(anyKey).optional(), role: 'keys', doc: 'A list of keys.' } as const

const query = {
  schema: z.record(z.string(), z.unknown()).optional(),
  role: 'query',
  doc: 'A query of the language of lists. Templates are operands of its filter, or its `search`, `limit`, `offset` and `page`.',
} as const

const emitEvents = {
  schema: z.boolean().optional(),
  doc: 'True if what is written may start this flow again, eight times deep. Other flows are triggered in any case.',
} as const

const record = z.record(z.string(), z.unknown())

export const itemCreate = defineOperation({
  kind: 'database',
  isOneCall: true,
  doc: 'Creates items, and answers the list of their keys.',
  options: {
    collection,
    payload: { schema: z.union([record, z.array(record)]), doc: 'An item, or a list of items.' },
    emitEvents,
  },
  async run({ collection: name, payload }, { engine }) {
    const { fields, keyOf } = keyReading(engine, name)
    const created = Array.isArray(payload)
      ? await createItems(engine, name, payload, { fields })
      : [await createItem(engine, name, payload, { fields })]
    return created.map(keyOf)
  },
})

export const itemRead = defineOperation({
  kind: 'reads',
  doc: 'Reads items, and answers the item with a key, or a list. Without `key`, `keys` and `query` it lists the collection.',
  options: { collection, key, keys, query },
  async run({ collection: name, query: read = {}, ...named }, { engine }) {
    const chosen = chosenAtMost(named, engine, name)
    if (!chosen || chosen.kind === 'query') return (await listItems(engine, name, read)).data
    if (chosen.kind === 'key') return getItem(engine, name, chosen.key, read)
    const among = amongKeys(keyReading(engine, name).fields, chosen.keys)
    const filter = read.filter === undefined ? among : { _and: [read.filter, among] }
    const list = { limit: chosen.keys.length, ...read, filter }
    return (await listItems(engine, name, list as object)).data
  },
})

export const itemUpdate = defineOperation({
  kind: 'database',
  isOneCall: true,
  doc: 'Updates items, and answers the key of one, or the list of keys.',
  options: {
    collection,
    key,
    keys,
    query,
    payload: {
      schema: z.union([record, z.array(record)]),
      doc: 'The values; or a list of items, each with its key, and then neither `key`, `keys` nor `query`.',
    },
    emitEvents,
  },
  async run({ collection: name, payload, ...named }, { engine }) {
    const { fields, keyOf } = keyReading(engine, name)
    if (Array.isArray(payload)) {
      if (chosenAtMost(named, engine, name))
        throw badValue('Items that hold their keys are named by nothing else.', ['payload'])
      return (await updateEach(engine, name, payload, { fields })).map(keyOf)
    }
    const chosen = chosenItems(named, engine, name)
    if (chosen.kind === 'query') return (await updateByQuery(engine, name, chosen.query, payload)).keys ?? []
    if (chosen.kind === 'keys')
      return (await updateItems(engine, name, chosen.keys, payload, { fields })).map(keyOf)
    const item = await updateItem(engine, name, chosen.key, payload, { fields })
    // The item may be seen no more.
    return item === null ? chosen.key : keyOf(item)
  },
})

export const itemDelete = defineOperation({
  kind: 'database',
  isOneCall: true,
  doc: 'Deletes items, and answers the key of one, or the list of keys.',
  options: { collection, key, keys, query, emitEvents },
  async run({ collection: name, ...named }, { engine }) {
    const chosen = chosenItems(named, engine, name)
    if (chosen.kind === 'query') return (await deleteByQuery(engine, name, chosen.query)).keys ?? []
    const isOne = chosen.kind === 'key'
    const { keys = [] } = await deleteItems(engine, name, isOne ? [chosen.key] : chosen.keys)
    return isOne ? (keys[0] ?? chosen.key) : keys
  },
})
