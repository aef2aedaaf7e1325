// The described schema as text, one line a collection: as few words as an agent needs, and nothing that ends a line.
import type { CollectionDescription, FieldDescription, SchemaDescription } from './describe-schema.ts'

/** Explanation of the lines. */
export const legend =
  '# name[create read update delete] key: field type, …. ? may be null, [] is a list, a|b are its values, > leads to one, < to many, <> to many through a junction, (cru) is what a field may be used for if not as the items.'

/** Returns the lines of a described schema, behind their explanation. */
export const schemaText = ({ collections }: SchemaDescription): string =>
  [legend, ...Object.entries(collections).map(([name, one]) => collectionLine(name, one)), ''].join('\n')

export function collectionLine(name: string, about: CollectionDescription): string {
  const words = [
    ...(about.singleton ? ['singleton'] : []),
    ...(about.versioned ? ['versioned'] : []),
    ...(about.key ?? []).map(plainName),
  ]
  const fields = Object.entries(about.fields).map(([field, one]) => fieldText(field, one))
  const head = [`${plainName(name)}[${about.may}]`, ...words].join(' ')
  return `${head}: ${fields.join(', ')}${noteText(about.note)}`
}

function fieldText(name: string, field: FieldDescription): string {
  const named = `${plainName(name)}${field.nullable ? '?' : ''}`
  const may = field.may ? `(${field.may})` : ''
  return `${named} ${typeText(field)}${field.conceal ? ' concealed' : ''}${may}${noteText(field.note)}`
}

function typeText({ type, to, by, from, through, values, array, references }: FieldDescription): string {
  if (from !== undefined) return `<${pathText(from)}`
  if (through !== undefined) return `<>${pathText(through)}>${[to ?? []].flat().map(plainName).join()}`
  if (to !== undefined) {
    const holds = by === undefined ? '' : ` by ${[by].flat().map(plainName).join('+')}`
    const at = references ? `.${references.map(plainName).join('+')}` : ''
    return `>${[to].flat().map(plainName).join('|')}${at}${holds}`
  }
  return `${values ? values.map(plainName).join('|') : type}${array ? '[]' : ''}`
}

const pathText = (path: string): string => path.split('.').map(plainName).join('.')

/** Returns a name that is a word as it is, and any other as JSON. */
const plainName = (name: string): string => (/^[\p{L}\p{N}_$-]+$/u.test(name) ? name : quoted(name))

const noteText = (note: string | undefined): string => (note === undefined ? '' : ` ${quoted(note)}`)

/** Some readers end a line at these signs, which JSON leaves as they are. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u0085\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
