import type { ParsedQuery } from '../query/types.ts'
import { csvWriter } from './csv.ts'
import type { FileWriter, RowSource } from './writer.ts'
import { xmlWriter } from './xml.ts'
import { yamlWriter } from './yaml.ts'

export const jsonWriter = (): FileWriter => ({
  begin: '[',
  item: (item, index) => `${index === 0 ? '' : ',\n'}${JSON.stringify(item)}`,
  end: () => ']\n',
})

export const ndjsonWriter = (): FileWriter => ({
  begin: '',
  item: (item) => `${JSON.stringify(item)}\n`,
  end: () => '',
})

interface ExportFormatRow {
  readonly type: string
  readonly extension: string
  readonly doc: string
  readonly writer: (source: RowSource) => FileWriter
}

/** File formats, by the words that the parameter `export` takes. */
export const formats = {
  csv: {
    type: 'text/csv; charset=utf-8',
    extension: 'csv',
    doc: 'A table with a header row (RFC 4180).',
    writer: csvWriter,
  },
  json: {
    type: 'application/json',
    extension: 'json',
    doc: 'One array.',
    writer: jsonWriter,
  },
  ndjson: {
    type: 'application/x-ndjson',
    extension: 'ndjson',
    doc: 'A JSON object on each line.',
    writer: ndjsonWriter,
  },
  xml: {
    type: 'application/xml; charset=utf-8',
    extension: 'xml',
    doc: 'XML 1.0: an `<item>` each in `<items>`.',
    writer: xmlWriter,
  },
  yaml: {
    type: 'application/yaml',
    extension: 'yaml',
    doc: 'A YAML list, read alike by YAML 1.1 and 1.2.',
    writer: yamlWriter,
  },
} as const satisfies Record<NonNullable<ParsedQuery['export']>, ExportFormatRow>

/** Name of a file format. */
export type ExportFormat = keyof typeof formats
export const isFormat = (word: string): word is ExportFormat => Object.hasOwn(formats, word)
