// The entry `quernel/zod`: what the engine takes and returns, as schemas of zod.
export {
  type ItemSchema,
  type PayloadSchema,
  type ZodContext,
  type ZodSchema,
  type ZodUse,
  zodSchema,
} from './zod/zod-schema.ts'
