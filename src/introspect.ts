// The entry `quernel/introspect`: databases that are there already.
export type {
  Catalogue,
  CatalogueColumn,
  CatalogueEnum,
  CatalogueForeignKey,
  CatalogueTable,
} from './dialects/catalogue.ts'
export { type CatalogueOptions, readCatalogue } from './introspect/catalogue.ts'
export {
  type CmsAccess,
  type CmsAccessOptions,
  readCmsAccess,
} from './introspect/cms/read-cms-access.ts'
export { type CmsSchema, readCmsSchema } from './introspect/cms/read-cms-schema.ts'
export type { CmsRemark } from './introspect/cms/remark.ts'
export type { CmsOptions } from './introspect/cms/service.ts'
export { type IntrospectedSchema, introspectSchema } from './introspect/introspect-schema.ts'
export type {
  CollectionOverride,
  FieldOverride,
  IntrospectOptions,
  Renamed,
  Renaming,
  Selection,
} from './introspect/options.ts'
export type { Remark, RemarkCode } from './introspect/remark.ts'
