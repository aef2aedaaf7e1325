export { contentDisposition } from './export/content-disposition.ts'
export { type ExportedFile, type ExportOptions, exportItems } from './export/export-items.ts'
export type { ExportFormat } from './export/formats.ts'
