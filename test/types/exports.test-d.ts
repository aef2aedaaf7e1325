import { expectTypeOf } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { type ExportedFile, type ExportFormat, exportItems } from '../../src/export.ts'
import type { ParsedQuery } from '../../src/query/types.ts'
import type { Shop } from './schema.ts'

declare const engine: Engine<Shop>
declare const parsed: ParsedQuery

// A file is asked for as a list is.
expectTypeOf(
  exportItems(
    engine,
    'articles',
    { fields: ['id', 'author.name'], sort: '-published_at', limit: -1 },
    'csv',
    {
      guardFormulas: false,
    },
  ),
).toEqualTypeOf<Promise<ExportedFile>>()
expectTypeOf(exportItems(engine, 'articles', {}, 'yaml')).toEqualTypeOf<Promise<ExportedFile>>()
expectTypeOf(exportItems(engine, 'articles', parsed, parsed.export ?? 'json')).toEqualTypeOf<
  Promise<ExportedFile>
>()
expectTypeOf<ExportFormat>().toEqualTypeOf<'csv' | 'json' | 'ndjson' | 'xml' | 'yaml'>()

// @ts-expect-error there is no such field
export const wrongField = exportItems(engine, 'articles', { fields: ['titel'] }, 'csv')
// @ts-expect-error there is no such format
export const wrongFormat = exportItems(engine, 'articles', {}, 'pdf')
