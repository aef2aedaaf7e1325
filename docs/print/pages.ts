// The pages of the documentation that are printed, as a whole or in part.

import { apiIndex, apiPages } from './api.ts'
import { foldersTable } from './architecture.ts'
import { checksTable, differencesTable, driversTable } from './drivers.ts'
import { codesTable } from './errors.ts'
import { filled } from './filled.ts'
import { flowDeviationsList, operationsList } from './flows.ts'
import { answerDeviationsList, schemaDeviationsList } from './graphql.ts'
import { imageParts } from './images.ts'
import { boundsTable, limitsTable } from './limits.ts'
import { aggregatesTable, formatsTable, functionsTable, operatorsTable, typesTable } from './operators.ts'
import { textOf } from './texts.ts'

/** What every printed page should be, by its path from the root. */
export const pagesNow = (): Readonly<Record<string, string>> => ({
  ...apiPages(),
  'docs/filters.md': withParts('docs/filters.md', {
    operators: operatorsTable(),
    functions: functionsTable(),
  }),
  'docs/reading.md': withParts('docs/reading.md', { aggregates: aggregatesTable() }),
  'docs/schema.md': withParts('docs/schema.md', { types: typesTable() }),
  'docs/exporting.md': withParts('docs/exporting.md', { formats: formatsTable() }),
  'docs/assets.md': withParts('docs/assets.md', imageParts()),
  'docs/api.md': withParts('docs/api.md', { index: apiIndex() }),
  'docs/architecture.md': withParts('docs/architecture.md', { folders: foldersTable() }),
  'docs/drivers.md': withParts('docs/drivers.md', {
    drivers: driversTable(),
    checks: checksTable(),
    differences: differencesTable(),
  }),
  'docs/flows.md': withParts('docs/flows.md', {
    operations: operationsList(),
  }),
  'docs/coming-from-directus.md': withParts('docs/coming-from-directus.md', {
    schema: schemaDeviationsList(),
    answers: answerDeviationsList(),
    flows: flowDeviationsList(),
  }),
  'docs/errors.md': withParts('docs/errors.md', { codes: codesTable() }),
  'docs/queries.md': withParts('docs/queries.md', { limits: limitsTable() }),
  'docs/security.md': withParts('docs/security.md', { bounds: boundsTable() }),
})

const withParts = (name: string, parts: Readonly<Record<string, string>>): string =>
  filled(textOf(name), parts)
