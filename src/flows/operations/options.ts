// Options that several operations have.
import { z } from 'zod'

export const collection = { schema: z.string().min(1), role: 'name', doc: 'The collection.' } as const

const anyKey = z.union([z.string().min(1), z.number(), z.array(z.union([z.string(), z.number()])).min(1)])

export const key = { schema: anyKey.optional(), role: 'key', doc: 'The key of one item.' } as const

export const keys = { schema: z.array(anyKey).optional(), role: 'keys', doc: 'A list of keys.' } as const

export const query = {
  schema: z.record(z.string(), z.unknown()).optional(),
  role: 'query',
  doc: 'A query of the language of lists. Templates are operands of its filter, or its `search`, `limit`, `offset` and `page`.',
} as const

export const emitEvents = {
  schema: z.boolean().optional(),
  doc: 'True if what is written may start this flow again, eight times deep. Other flows hear of it in any case.',
} as const
