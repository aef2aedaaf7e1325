// The entry `quernel/filter`: schemas, queries and filters, without a database and without Node.
export type { Access, Action, AnyRule, Grant, Rule, Rules } from './access/access.ts'
export type { Dialect } from './dialects/dialect.ts'
export {
  EngineError,
  type ErrorBody,
  type ErrorCode,
  isEngineError,
  type Path,
  toErrorBody,
} from './errors/errors.ts'
export { type CompileContext, type CompiledFilter, compileFilter } from './filters/compile.ts'
export type { FilterContext } from './filters/filter-source.ts'
export { type MatchContext, matchesFilter } from './filters/match-without-rules.ts'
export type { Filter } from './query/filter-types.ts'
export type { Limits } from './query/limits.ts'
export { type ParseOptions, parseQuery } from './query/parse.ts'
export type { ParsedFilter, ParsedQuery, Query } from './query/types.ts'
export { defineSchema } from './schema/define-schema.ts'
export type {
  CollectionDefinition,
  FieldDefinition,
  SchemaDefinition,
  StandardValidator,
} from './schema/definition.ts'
export type { CollectionName, Item, KeyOf } from './schema/infer.ts'
export { json } from './schema/json-type.ts'
export type { Collection, Field, Schema } from './schema/model.ts'
export { filesDefinition } from './schema/own-files.ts'
export type { Geometry } from './values/geometry.ts'
export type { Caller } from './vocabulary/variables.ts'
