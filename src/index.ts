export type { Access, Action, AnyRule, Grant, Rule, Rules } from './access/access.ts'
export { createEngine, type EngineOptions } from './create-engine.ts'
export type { Dialect } from './dialects/dialect.ts'
export type { Engine, NarrowedEngine } from './engine/engine.ts'
export type { EventName, HookEvent, ItemChange } from './engine/events.ts'
export type { FileOptions } from './engine/file-options.ts'
export type { Hook, HookOptions } from './engine/hooks.ts'
export {
  EngineError,
  type ErrorBody,
  type ErrorCode,
  isEngineError,
  type Path,
  toErrorBody,
} from './errors/errors.ts'
export type { Options, QueryReport } from './execution/database.ts'
export type { FileAnswer, FileInput, Replacement, Upload } from './files/file-types.ts'
export { deleteFile, getFile, listFiles, purgeVariants } from './files/read-files.ts'
export { type SweepOptions, type Swept, sweepFiles } from './files/sweep-files.ts'
export {
  type AssetOptions,
  type TransformedAsset,
  transformAsset,
} from './files/transform-asset.ts'
export { updateFile } from './files/update-file.ts'
export { uploadFile } from './files/upload-file.ts'
export { type CompileContext, type CompiledFilter, compileFilter } from './filters/compile.ts'
export type { FilterContext } from './filters/filter-source.ts'
export { matchesFilter } from './filters/match.ts'
export type { AssetPreset, AssetSettings } from './images/asset-settings.ts'
export type { AssetParameters, Transform } from './images/image-parameters.ts'
export { createItem, createItems } from './items/create.ts'
export { type DeleteResult, deleteByQuery, deleteItem, deleteItems } from './items/delete.ts'
export { type Explanation, explainItems } from './items/explain.ts'
export { getItem, type ItemOptions } from './items/get.ts'
export { listItems } from './items/list.ts'
export { type AccessExplanation, explainAccess, type RuleExplanation } from './items/read/explain-access.ts'
export { listItemsJson } from './items/read/list-json.ts'
export { getSingleton, updateSingleton } from './items/singleton.ts'
export { streamItems } from './items/stream.ts'
export type { CheckedQuery } from './items/types/checked-query.ts'
export type { ItemInput, OnNames, UpdateInput } from './items/types/item-input.ts'
export type { CreateInput, NewItem } from './items/types/new-item.ts'
export type { ItemAnswer, ListAnswer, Meta, SingletonAnswer } from './items/types/result.ts'
export type {
  NewVersion,
  VersionAnswer,
  VersionNames,
  VersionShape,
  VersionsQuery,
} from './items/types/version-input.ts'
export { updateEach, updateItem, updateItems } from './items/update.ts'
export { type UpsertOptions, upsertItem, upsertItems } from './items/upsert.ts'
export { createVersion } from './items/versions/create-version.ts'
export { listVersions } from './items/versions/list-versions.ts'
export { type Comparison, compareVersion, type Promotion, promoteVersion } from './items/versions/promote.ts'
export { saveVersion } from './items/versions/save-version.ts'
export { deleteVersion, updateVersion } from './items/versions/update-version.ts'
export type { BulkOptions, Selector } from './items/write/bulk.ts'
export { type UpdateResult, updateByQuery } from './items/write/update-by-query.ts'
export type { ShownKey } from './plan/key.ts'
export type { Filter } from './query/filter-types.ts'
export { type Limits, limitsFromEnvironment } from './query/limits.ts'
export { type ParseOptions, parseQuery } from './query/parse.ts'
export type { ParsedFilter, ParsedQuery, Query } from './query/types.ts'
export { defineSchema, type SchemaOptions } from './schema/define-schema.ts'
export type {
  CollectionDefinition,
  FieldDefinition,
  SchemaDefinition,
  StandardValidator,
} from './schema/definition.ts'
export type { CollectionName, Item, KeyOf } from './schema/infer.ts'
export { json } from './schema/json-type.ts'
export type { Collection, DefaultFields, Field, Schema } from './schema/model.ts'
export type { OwnNames } from './schema/own.ts'
export { filesDefinition } from './schema/own-files.ts'
export { type RunNames, runDefinitions } from './schema/own-runs.ts'
export type { Geometry } from './values/geometry.ts'
export type { Version } from './versions/version-rows.ts'
export type { Caller } from './vocabulary/variables.ts'
