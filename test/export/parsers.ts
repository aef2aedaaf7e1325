// Files read by parsers that know nothing of how they were written.
import { parse as parseCsv } from 'csv-parse/sync'
import { SaxesParser } from 'saxes'
import { parse as parseYaml } from 'yaml'

/** The rows of a table under its header. A cell that is empty and not quoted has no value. */
export function csvRows(text: string): { readonly header: readonly string[]; readonly rows: Cells[] } {
  const [header = [], ...rows] = parseCsv(text, {
    record_delimiter: '\r\n',
    relax_column_count: false,
    // A row with one cell that has no value is an empty line.
    skip_empty_lines: false,
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
  }) as Cells[]
  return { header: header.map(String), rows }
}

export type Cells = readonly (string | null)[]

/** What a table has to hold under such a header for these items. */
export function cellsOf(
  items: readonly unknown[],
  header: readonly string[],
  json: ReadonlySet<string>,
): Cells[] {
  return items.map((item) =>
    header.map((name) => {
      const value = valueAt(item, name.split('.'))
      if (value === null || value === undefined) return null
      return json.has(name) || typeof value === 'object' ? JSON.stringify(value) : String(value)
    }),
  )
}

const valueAt = (item: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>((value, name) => Reflect.get(Object(value), name), item)

interface Open {
  readonly name: string
  readonly type: string | undefined
  readonly inside: [name: string, value: unknown][]
  text: string
}

/** The list in a file, by what its elements say of themselves. The parser is strict about what is well-formed. */
export function xmlItems(text: string): unknown {
  const parser = new SaxesParser()
  const root: Open = { name: '', type: 'list', inside: [], text: '' }
  const open = [root]
  const current = () => open.at(-1) ?? root
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    open.push({ name: attributes.name ?? name, type: attributes.type, inside: [], text: '' })
  })
  parser.on('text', (more) => {
    current().text += more
  })
  parser.on('closetag', () => {
    const closed = open.pop() ?? root
    current().inside.push([closed.name, readingOf(open.length === 1 ? { ...closed, type: 'list' } : closed)])
  })
  parser.write(text).close()
  return root.inside[0]?.[1]
}

function readingOf({ type, inside, text }: Open): unknown {
  if (type === undefined) return inside.length > 0 ? Object.fromEntries(inside) : text
  if (type === 'list') return inside.map(([, value]) => value)
  if (type === 'object') return {}
  // Numbers, booleans, null and JSON are all written as JSON has them.
  return type === 'null' ? null : JSON.parse(text)
}

/** What both versions of YAML make of a text. */
export const yamlReadings = (text: string): readonly unknown[] => [
  ...(['core', 'yaml-1.1'] as const).map((schema) => parseYaml(text, { schema, uniqueKeys: true })),
  parseYaml(text, { version: '1.1' }),
]

/** What each format but CSV holds. */
export const readings = {
  json: (text: string) => [JSON.parse(text)],
  ndjson: (text: string) => [
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  ],
  xml: (text: string) => [xmlItems(text)],
  yaml: yamlReadings,
} satisfies Record<string, (text: string) => readonly unknown[]>
