export type { Access, Action, AnyRule, Grant, Rule, Rules } from './access/access.ts'
export {
  type AssetOptions,
  type TransformedAsset,
  transformAsset,
} from './assets/asset.ts'
export { deleteFile } from './assets/files/delete.ts'
export { purgeVariants } from './assets/files/purge.ts'
export { getFile, listFiles } from './assets/files/read.ts'
export { type SweepOptions, type Swept, sweepFiles } from './assets/files/sweep.ts'
export type { FileAnswer, FileInput, Replacement, Upload } from './assets/files/types.ts'
export { updateFile } from './assets/files/update.ts'
export { uploadFile } from './assets/files/upload.ts'
export type { AssetParameters, Transform } from './assets/image/parameters.ts'
export type { AssetPreset, AssetSettings } from './assets/image/settings.ts'
export type { Dialect } from './dialects/dialect.ts'
export { createEngine, type Engine, type NarrowedEngine } from './engine.ts'
export type { EngineOptions } from './engine-options.ts'
export {
  EngineError,
  type ErrorBody,
  type ErrorCode,
  isEngineError,
  type Path,
  toErrorBody,
} from './errors.ts'
export type { FileKeeping, FileOptions } from './file-keeping.ts'
export { type CompileContext, type CompiledFilter, compileFilter } from './filters/compile.ts'
export { matchesFilter } from './filters/match.ts'
export type { Occasion } from './filters/setting.ts'
export type { Change, EventName, Handler, Happening, HookOptions } from './hooks.ts'
export type { ItemAnswer, ListAnswer, Meta, SingletonAnswer } from './items/answer.ts'
export type { Asked } from './items/answer-asked.ts'
export { createItem, createItems } from './items/create.ts'
export {
  type BulkOptions,
  type ChoosingQuery,
  type Deletion,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type Selector,
} from './items/delete.ts'
export { type Explanation, explainItems } from './items/explain.ts'
export { type AccessExplanation, explainAccess, type RuleExplanation } from './items/explain-access.ts'
export { getItem, type ItemOptions } from './items/get.ts'
export type { ItemInput } from './items/input.ts'
export { listItems } from './items/list.ts'
export { listItemsJson } from './items/list-json.ts'
export { type Comparison, compareVersion, type Promotion, promoteVersion } from './items/promote.ts'
export { getSingleton, updateSingleton } from './items/singleton.ts'
export { streamItems } from './items/stream.ts'
export { type Updating, updateByQuery, updateItem, updateItems } from './items/update.ts'
export {
  createVersion,
  deleteVersion,
  listVersions,
  type NewVersion,
  saveVersion,
  updateVersion,
  type VersionAnswer,
  type VersionNames,
  type VersionShape,
  type VersionsQuery,
} from './items/versions.ts'
export type { Filter } from './query/filter-types.ts'
export { type Limits, limitsFromEnvironment } from './query/limits.ts'
export { type ParseOptions, parseQuery } from './query/parse.ts'
export type { ParsedFilter, ParsedQuery, Query } from './query/types.ts'
export type { Options, QueryReport } from './run/execute.ts'
export { defineSchema } from './schema/define.ts'
export type {
  CollectionDefinition,
  FieldDefinition,
  SchemaDefinition,
  StandardValidator,
} from './schema/definition.ts'
export type { CollectionName, Item, KeyOf } from './schema/infer.ts'
export { json } from './schema/json.ts'
export type { Collection, Field, Schema } from './schema/model.ts'
export type { OwnNames } from './schema/own.ts'
export { filesDefinition } from './schema/own-files.ts'
export type { Geometry } from './values/geometry.ts'
export type { Version } from './versions/table.ts'
export type { Caller } from './vocabulary/variables.ts'
