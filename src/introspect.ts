// The entry `quernel/introspect`: introspection of existing databases, and the check of a schema against one.

export type { CmsRemark } from './cms/cms-remark.ts'
export type { CmsFlowNeed, CmsFlowRemark } from './cms/flows/flow-report.ts'
export {
  type CmsAccess,
  type CmsAccessOptions,
  readCmsAccess,
} from './cms/read-cms-access.ts'
export { type CmsFlows, type CmsFlowsOptions, readCmsFlows } from './cms/read-cms-flows.ts'
export { type CmsSchema, readCmsSchema } from './cms/read-cms-schema.ts'
export type { CmsOptions } from './cms/service.ts'
export type {
  Catalogue,
  CatalogueColumn,
  CatalogueEnum,
  CatalogueForeignKey,
  CatalogueTable,
} from './dialects/catalogue.ts'
export { type CheckOptions, checkSchema } from './introspect/check-schema.ts'
export type { SchemaDifference } from './introspect/differences.ts'
export type {
  CollectionOverride,
  FieldOverride,
  IntrospectOptions,
  Renamed,
  Renaming,
  Selection,
} from './introspect/introspect-options.ts'
export { type IntrospectedSchema, introspectSchema } from './introspect/introspect-schema.ts'
export { type CatalogueOptions, readCatalogue } from './introspect/read-catalogue.ts'
export type { Remark, RemarkCode } from './introspect/remark.ts'
