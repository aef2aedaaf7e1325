import type * as z from 'zod'
import { fault, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import type { MatchContext } from '../filters/match-without-rules.ts'
import type { ItemInput, UpdateInput } from '../items/types/item-input.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import { checkValidations } from '../plan/write/validations.ts'
import type { CollectionName, Item } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { itemSchema } from './item-schema.ts'
import { payloadSchema } from './payload-schema.ts'

/** What a schema is for: a payload of a creation or of an update, or an item as it is returned. */
export type ZodUse = 'create' | 'update' | 'item'

/** A schema of payloads. `shape` has a schema for each field, to check one alone. */
export interface PayloadSchema<Payload, Name extends string = string> extends z.ZodType<Payload, Payload> {
  readonly shape: Readonly<Record<Name, z.ZodType>>
}

/** A schema of items, which can be picked from and extended. */
export type ItemSchema<Held> = z.ZodObject<{ [Name in keyof Held]: z.ZodType<Held[Name]> }>

/** The schema of a collection for a use. */
export type ZodSchema<S, C extends CollectionName<S>, Use extends ZodUse> = Use extends 'item'
  ? ItemSchema<Item<S, C>>
  : Use extends 'update'
    ? PayloadSchema<UpdateInput<S, C>, keyof UpdateInput<S, C> & string>
    : PayloadSchema<ItemInput<S, C>, keyof ItemInput<S, C> & string>

/** Values for the variables in validations: the time, and the caller. */
export type ZodContext = MatchContext

/** Returns a schema of zod for what the engine takes (`'create'`, `'update'`) or returns (`'item'`) of a collection. A payload passes it
 *  exactly if it passes the engine's own check of it, with the same messages and paths; what only the database knows is left to it.
 *  @example const form = zodSchema(schema, 'articles', 'create')
 *  form.safeParse({ views: 'many' }).error?.issues[0]?.path // → ['views'] */
export function zodSchema<S extends Schema, C extends CollectionName<S>, const Use extends ZodUse>(
  schema: S,
  collection: C,
  use: Use,
  context?: ZodContext,
): ZodSchema<S, C, Use>
export function zodSchema(schema: Schema, name: string, use: string, context: ZodContext = {}): z.ZodType {
  const collection = rootCollection(schema, name)
  if (!isUse(use))
    throw fault('INVALID_OPTIONS', `A schema is for ${uses.join(', ')}, not ${quote(use)}.`, {
      hint: suggestion(use, uses),
    })
  if (use === 'item') return itemSchema(schema, collection)
  checkValidations(schema)
  return payloadSchema({ schema, collection, action: use, context })
}

const uses: readonly ZodUse[] = ['create', 'update', 'item']
const isUse = (use: string): use is ZodUse => uses.some((one) => one === use)
