// A field as it is put into a document: with the arguments that it needs, and with some of what it has.
import { definitionsOf } from './definitions.ts'
import { isLeaf, type KnownField, type KnownSchema, type KnownType, nameOfType } from './known-schema.ts'

/** Fields that are selected. */
const max = 6

export function fieldSnippet(field: KnownField, schema: KnownSchema): string {
  const needed = [...field.args.values()].filter(isNeeded).map(({ name }) => `${name}: `)
  const args = needed.length > 0 ? `(${needed.join(', ')})` : ''
  if (isLeaf(schema, field.type)) return `${field.name}${args}`
  const inner = leavesOf(schema.types.get(nameOfType(field.type)), schema)
  return `${field.name}${args} {\n${inner.map((name) => `  ${name}\n`).join('')}}`
}

function leavesOf(type: KnownType | undefined, schema: KnownSchema): readonly string[] {
  // A name that begins so is of the engine, such as the place of an item in its list, and wanted seldom.
  const leaves = [...(type?.fields.values() ?? [])]
    .filter(({ name }) => !name.startsWith('_'))
    .filter((one) => isLeaf(schema, one.type) && ![...one.args.values()].some(isNeeded) && !one.isDeprecated)
    .map(({ name }) => name)
  return leaves.length > 0 ? leaves.slice(0, max) : ['__typename']
}

const isNeeded = ({
  type,
  initial,
}: {
  readonly type: string
  readonly initial: string | undefined
}): boolean => type.endsWith('!') && initial === undefined

/** Returns where a snippet goes: to the cursor inside of a definition, else into the operation that ends there or into a new one. `operation`
 *  is there for a field of a root. */
export function insertionOf(
  document: string,
  cursor: number,
  { snippet, operation }: { readonly snippet: string; readonly operation: string | undefined },
): { readonly start: number; readonly end: number; readonly text: string } {
  const around = definitionsOf(document).find(({ start, end }) => start < cursor && cursor < end)
  const at = { start: cursor, end: cursor }
  if (around || operation === undefined) {
    const line = document.slice(document.lastIndexOf('\n', cursor - 1) + 1, cursor)
    const indent = /^ */.exec(line)?.[0] ?? ''
    const isBlank = line.trim() === ''
    return { ...at, text: `${isBlank ? '' : ' '}${indented(snippet, indent)}${isBlank ? '' : ' '}` }
  }
  const head = operation === 'query' && document.trim() === '' ? '' : `${operation} `
  const gap = document.slice(0, cursor).trim() === '' ? '' : '\n\n'
  return { ...at, text: `${gap}${head}{\n  ${indented(snippet, '  ')}\n}` }
}

const indented = (snippet: string, indent: string): string => snippet.replaceAll('\n', `\n${indent}`)
