// Collections whose keys have several parts, what refers to them, and one without a key.
import { defineSchema } from '../../../src/index.ts'

const key = { type: 'integer', key: true } as const
const text = { type: 'string', nullable: true } as const

const schema = defineSchema({
  orders: {
    fields: {
      id: key,
      buyer: text,
      lines: { type: 'o2m', from: 'lines.order' },
      wares: { type: 'm2m', through: 'lines.order', to: 'ware' },
      visits: { type: 'o2m', from: 'visits.order' },
    },
  },
  wares: {
    fields: {
      code: { type: 'uuid', key: true },
      name: text,
      lines: { type: 'o2m', from: 'lines.ware' },
    },
  },
  lines: {
    key: ['order', 'ware'],
    fields: {
      amount: { type: 'integer', nullable: true },
      order: { type: 'm2o', to: 'orders' },
      ware: { type: 'm2o', to: 'wares' },
      parcels: { type: 'o2m', from: 'parcels.line' },
      tags: { type: 'm2m', through: 'taggings.line', to: 'tag' },
    },
  },
  parcels: {
    fields: {
      id: key,
      order_no: { type: 'm2o', to: 'orders', nullable: true, column: 'o' },
      ware_code: { type: 'uuid', nullable: true },
      line: { type: 'm2o', to: 'lines', by: ['order_no', 'ware_code'] },
      weight: { type: 'integer', nullable: true },
    },
  },
  seals: {
    key: ['kind', 'day'],
    fields: {
      kind: { type: 'string' },
      day: { type: 'date' },
      label: text,
      taggings: { type: 'o2m', from: 'taggings.tag' },
    },
  },
  taggings: {
    key: ['order_id', 'ware_id', 'kind', 'day'],
    fields: {
      order_id: { type: 'bigInteger' },
      ware_id: { type: 'uuid' },
      kind: { type: 'string' },
      day: { type: 'date' },
      line: { type: 'm2o', to: 'lines', by: ['order_id', 'ware_id'] },
      tag: { type: 'm2o', to: 'seals', by: ['kind', 'day'] },
      place: { type: 'integer', nullable: true },
    },
  },
  remarks: {
    fields: {
      id: key,
      about: { type: 'string', nullable: true },
      thing: { type: 'any', to: ['lines', 'seals', 'orders'], by: 'about', nullable: true },
    },
  },
  visits: {
    key: false,
    fields: {
      at: { type: 'timestamp' },
      word: text,
      order: { type: 'm2o', to: 'orders', nullable: true },
      paper: { type: 'json', nullable: true },
    },
  },
  stays: {
    key: ['room', 'rate', 'since'],
    fields: {
      room: { type: 'integer' },
      rate: { type: 'decimal', scale: 1 },
      since: { type: 'timestamp' },
      guest: text,
      bills: { type: 'o2m', from: 'bills.stay' },
    },
  },
  bills: {
    fields: {
      id: key,
      room: { type: 'integer', nullable: true },
      rate: { type: 'decimal', scale: 1, nullable: true },
      since: { type: 'timestamp', nullable: true },
      stay: { type: 'm2o', to: 'stays', by: ['room', 'rate', 'since'] },
    },
  },
  leaves: { key: false, fields: { paper: { type: 'json', nullable: true } } },
})

export const keyDefinition = schema.definition

/** The key of a ware. */
export const ware = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
const upper = (digit: number) => `ABCDEF00-0000-4000-8000-00000000000${digit}`
/** A ware whose key is stored in upper case where it is text. */
export const loud = upper(7).toLowerCase()

export const keyRows = {
  orders: [
    { id: 1, buyer: 'Ada' },
    { id: 2, buyer: 'Bob' },
    { id: 10, buyer: null },
  ],
  wares: [
    { code: ware(1), name: 'Tea' },
    { code: ware(2), name: 'Salt' },
    { code: upper(7), name: 'Pan' },
  ],
  lines: [
    { order: 2, ware: ware(1), amount: 1 },
    { order: 1, ware: ware(2), amount: 5 },
    { order: 1, ware: ware(1), amount: null },
    { order: 2, ware: upper(7), amount: 5 },
  ],
  parcels: [
    { id: 1, order_no: 1, ware_code: ware(1), weight: 10 },
    { id: 2, order_no: 1, ware_code: ware(1), weight: 20 },
    { id: 3, order_no: 2, ware_code: upper(7), weight: null },
    { id: 4, order_no: 1, ware_code: null, weight: 5 },
    { id: 5, order_no: null, ware_code: ware(1), weight: 5 },
    { id: 6, order_no: 9, ware_code: ware(2), weight: 1 },
  ],
  seals: [
    { kind: 'a,b', day: '2024-02-29', label: 'comma' },
    { kind: '"', day: '2024-02-29', label: 'quote' },
    { kind: '', day: '2024-03-01', label: null },
  ],
  taggings: [
    { order_id: '1', ware_id: ware(1), kind: 'a,b', day: '2024-02-29', place: 2 },
    { order_id: '1', ware_id: ware(1), kind: '"', day: '2024-02-29', place: 1 },
    { order_id: '2', ware_id: upper(7), kind: '', day: '2024-03-01', place: null },
    { order_id: '9007199254740993', ware_id: ware(1), kind: 'x', day: '2024-03-01', place: 1 },
  ],
  remarks: [
    { id: 1, about: 'lines', thing: `[1,"${ware(1)}"]` },
    { id: 2, about: 'seals', thing: '["\\"","2024-02-29"]' },
    { id: 3, about: 'orders', thing: '1' },
    { id: 4, about: 'lines', thing: '[9,"9"]' },
    { id: 5, about: 'lines', thing: 'none' },
    { id: 6, about: 'lines', thing: `[1, "${ware(1)}"]` },
  ],
  visits: [
    { at: '2024-01-02T00:00:00.000Z', word: 'b', order: 1, paper: { x: 1 } },
    { at: '2024-01-01T00:00:00.000Z', word: 'a', order: 1, paper: null },
    { at: '2024-01-01T00:00:00.000Z', word: null, order: 2, paper: null },
    { at: '2024-01-01T00:00:00.000Z', word: 'a', order: 1, paper: null },
  ],
  stays: [
    { room: 1, rate: '2.5', since: '2024-01-01T00:00:00.000Z', guest: 'Ada' },
    { room: 1, rate: '10.0', since: '2024-01-01T00:00:00.000Z', guest: 'Bob' },
    { room: 2, rate: '2.5', since: '2024-01-02T00:00:00.000Z', guest: null },
  ],
  bills: [
    { id: 1, room: 1, rate: '2.5', since: '2024-01-01T00:00:00.000Z' },
    { id: 2, room: 1, rate: '10.0', since: '2024-01-01T00:00:00.000Z' },
    { id: 3, room: 1, rate: '10.0', since: '2024-01-01T00:00:00.000Z' },
    { id: 4, room: 2, rate: null, since: '2024-01-02T00:00:00.000Z' },
  ],
  leaves: [{ paper: { x: [1] } }, { paper: { x: [1] } }],
} as const
