// Keys of several parts, what refers to them, and collections without a key.
import { expectTypeOf } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { defineSchema } from '../../src/index.ts'
import { getItem } from '../../src/items/get.ts'
import { listItems } from '../../src/items/list.ts'
import type { ItemInput, UpdateInput } from '../../src/items/types/item-input.ts'
import type { NewItem } from '../../src/items/types/new-item.ts'
import type { Filter } from '../../src/query/filter-types.ts'
import type { Item, KeyOf } from '../../src/schema/infer.ts'
import type { Schema } from '../../src/schema/model.ts'

const id = { type: 'integer', key: true } as const
const schema = defineSchema({
  orders: {
    fields: {
      id,
      lines: { type: 'o2m', from: 'lines.order' },
      wares: { type: 'm2m', through: 'lines.order', to: 'ware' },
      visits: { type: 'o2m', from: 'visits.order' },
    },
  },
  wares: { fields: { code: { type: 'uuid', key: true }, name: { type: 'string' } } },
  lines: {
    key: ['order', 'ware'],
    fields: {
      order: { type: 'm2o', to: 'orders' },
      ware: { type: 'm2o', to: 'wares' },
      amount: { type: 'integer' },
      parcels: { type: 'o2m', from: 'parcels.line' },
    },
  },
  parcels: {
    fields: {
      id,
      order_no: { type: 'integer' },
      ware_code: { type: 'uuid', nullable: true },
      line: { type: 'm2o', to: 'lines', by: ['order_no', 'ware_code'] },
    },
  },
  stickers: {
    fields: {
      id,
      order_no: { type: 'integer' },
      ware_code: { type: 'uuid' },
      line: { type: 'm2o', to: 'lines', by: ['order_no', 'ware_code'] },
    },
  },
  units: { key: ['sign'], fields: { sign: { type: 'string' } } },
  visits: {
    key: false,
    fields: { at: { type: 'timestamp' }, order: { type: 'm2o', to: 'orders', nullable: true } },
  },
})
type Trade = typeof schema

expectTypeOf<KeyOf<Trade, 'lines'>>().toEqualTypeOf<readonly [number, string]>()
expectTypeOf<KeyOf<Trade, 'units'>>().toEqualTypeOf<string>()
expectTypeOf<KeyOf<Trade, 'visits'>>().toBeNever()
expectTypeOf<KeyOf<Schema, string>>().toEqualTypeOf<string | number | readonly (string | number)[]>()

// In items a key is its parts, and a reference a list of them: null where one of its fields may be.
expectTypeOf<Item<Trade, 'lines'>>().toEqualTypeOf<{
  order: number
  ware: string
  amount: number
  parcels: number[]
}>()
expectTypeOf<Item<Trade, 'parcels'>['line']>().toEqualTypeOf<readonly [number, string] | null>()
expectTypeOf<Item<Trade, 'stickers'>['line']>().toEqualTypeOf<readonly [number, string]>()
expectTypeOf<Item<Trade, 'orders'>['wares']>().toEqualTypeOf<(readonly [number, string])[]>()
// Nothing can stand for items without a key.
expectTypeOf<keyof Item<Trade, 'orders'>>().toEqualTypeOf<'id' | 'lines' | 'wares'>()

// What is written takes null where items may have it, and nowhere else.
type Key = readonly [number, string]
expectTypeOf<Extract<ItemInput<Trade, 'parcels'>['line'], Key | null>>().toEqualTypeOf<Key | null>()
expectTypeOf<Extract<UpdateInput<Trade, 'parcels'>['line'], Key | null>>().toEqualTypeOf<Key | null>()
expectTypeOf<Extract<NewItem<Trade, 'parcels'>['line'], Key | null>>().toEqualTypeOf<Key | null>()
expectTypeOf<Extract<NewItem<Trade, 'stickers'>['line'], Key | null>>().toEqualTypeOf<Key>()
expectTypeOf<Extract<UpdateInput<Trade, 'stickers'>['line'], Key | null>>().toEqualTypeOf<Key>()

declare const engine: Engine<Trade>
declare const unseen: Engine

async function read() {
  const line = await getItem(engine, 'lines', [1, 'a'], { fields: ['amount', 'ware.name'] })
  expectTypeOf(line).toEqualTypeOf<{ amount: number; ware: { name: string } }>()
  // @ts-expect-error: a part is missing
  getItem(engine, 'lines', [1])
  // @ts-expect-error: another type
  getItem(engine, 'lines', ['1', 'a'])
  // @ts-expect-error: no list
  getItem(engine, 'lines', 1)
  // @ts-expect-error: nothing identifies them
  getItem(engine, 'visits', 1)
  getItem(unseen, 'lines', [1, 'a'])

  const { data } = await listItems(engine, 'parcels', { fields: ['line.amount', 'line.order.id'] })
  expectTypeOf(data).toEqualTypeOf<{ line: { amount: number; order: { id: number } } | null }[]>()
  const stickers = await listItems(engine, 'stickers', { fields: ['line.amount'] })
  expectTypeOf(stickers.data).toEqualTypeOf<{ line: { amount: number } }[]>()
  const visited = await listItems(engine, 'orders', { fields: ['visits.at'] })
  expectTypeOf(visited.data).toEqualTypeOf<{ visits: { at: string }[] }[]>()
}
read satisfies () => Promise<void>

const filters: readonly Filter<Trade, 'parcels'>[] = [
  { line: { _eq: [1, 'a'] } },
  { line: { _neq: null } },
  { line: { _in: [[1, 'a']] } },
  { line: { _nnull: true, amount: { _gt: 1 }, ware: { name: 'Tea' } } },
  { line: null },
  { _or: [{ line: { _null: true } }, { id: 1 }] },
  // @ts-expect-error: a key of several parts is no list of keys
  { line: { _in: [1, 'a'] } },
  // @ts-expect-error: another type
  { line: { _eq: [1, 2] } },
  // @ts-expect-error: no order
  { line: { _gt: [1, 'a'] } },
  // @ts-expect-error: no field
  { line: { amunt: 1 } },
]
const among: readonly Filter<Trade, 'orders'>[] = [
  { lines: { _in: [[1, 'a']] } },
  { lines: { _some: { amount: 1 }, _none: { _eq: [1, 'a'] } } },
  { visits: { at: { _gt: '$NOW' } } },
  // @ts-expect-error: nothing identifies them
  { visits: 1 },
]

export { among, filters }
