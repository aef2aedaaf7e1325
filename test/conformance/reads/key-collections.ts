// Collections whose keys have several parts, what refers to them, and one without a key.
import { defineSchema } from '../../../src/index.ts'
import {
  across,
  integer,
  json,
  key,
  many,
  maybeOne,
  moment,
  number,
  one,
  string,
  text,
} from '../../support/fields.ts'

const schema = defineSchema({
  orders: {
    fields: {
      id: key,
      buyer: text,
      lines: many('lines.order'),
      wares: across('lines.order', 'ware'),
      visits: many('visits.order'),
    },
  },
  wares: { fields: { code: { type: 'uuid', key: true }, name: text, lines: many('lines.ware') } },
  lines: {
    key: ['order', 'ware'],
    fields: {
      amount: number,
      order: one('orders'),
      ware: one('wares'),
      parcels: many('parcels.line'),
      tags: across('taggings.line', 'tag'),
    },
  },
  parcels: {
    fields: {
      id: key,
      order_no: { type: 'm2o', to: 'orders', nullable: true, column: 'o' },
      ware_code: { type: 'uuid', nullable: true },
      line: { type: 'm2o', to: 'lines', by: ['order_no', 'ware_code'] },
      weight: number,
    },
  },
  seals: {
    key: ['kind', 'day'],
    fields: { kind: string, day: { type: 'date' }, label: text, taggings: many('taggings.tag') },
  },
  taggings: {
    key: ['order_id', 'ware_id', 'kind', 'day'],
    fields: {
      order_id: { type: 'bigInteger' },
      ware_id: { type: 'uuid' },
      kind: string,
      day: { type: 'date' },
      line: { type: 'm2o', to: 'lines', by: ['order_id', 'ware_id'] },
      tag: { type: 'm2o', to: 'seals', by: ['kind', 'day'] },
      place: number,
    },
  },
  remarks: {
    fields: {
      id: key,
      about: text,
      thing: { type: 'any', to: ['lines', 'seals', 'orders'], by: 'about', nullable: true },
    },
  },
  visits: {
    key: false,
    fields: { at: { type: 'timestamp' }, word: text, order: maybeOne('orders'), paper: json },
  },
  stays: {
    key: ['room', 'rate', 'since'],
    fields: {
      room: integer,
      rate: { type: 'decimal', scale: 1 },
      since: { type: 'timestamp' },
      guest: text,
      bills: many('bills.stay'),
    },
  },
  bills: {
    fields: {
      id: key,
      room: number,
      rate: { type: 'decimal', scale: 1, nullable: true },
      since: moment,
      stay: { type: 'm2o', to: 'stays', by: ['room', 'rate', 'since'] },
    },
  },
  leaves: { key: false, fields: { paper: json } },
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
