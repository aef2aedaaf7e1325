import { readJsonPath } from '../values/json-path.ts'
import {
  type FunctionName,
  functions,
  isFunction,
  isRelatedAggregate,
  type RelatedAggregateName,
  relatedAggregates,
} from '../vocabulary/functions.ts'

/** A function around a field, as it was written: `json(meta, size.w)`, `year(author.born)`. */
export interface Call {
  readonly name: FunctionName | RelatedAggregateName
  /** The field's path; its last part is the field itself, and of an aggregate the last two are its relation and its field. */
  readonly field: string
  /** For `json`: the path inside. */
  readonly path: string | undefined
}

const shape = /^([A-Za-z_]\w*)\((.*)\)$/s

/** Reads `function(field)`. Returns undefined if the text has no parentheses, and a message if they are invalid. */
export function readCall(text: string): Call | string | undefined {
  if (!/[()]/.test(text)) return undefined
  const match = shape.exec(text.trim())
  if (!match) return 'write it as function(field)'
  const [, name = '', inside = ''] = match
  if (!isFunction(name) && !isRelatedAggregate(name)) {
    const names = [...Object.keys(functions), ...relatedAggregates]
    return `there is no function "${name.slice(0, 32)}"; there are ${names.join(', ')}`
  }
  return name === 'json' ? jsonCall(inside) : plainCall(name, inside)
}

function jsonCall(inside: string): Call | string {
  const comma = inside.indexOf(',')
  const field = inside.slice(0, comma).trim()
  if (comma < 0 || field === '' || /[()]/.test(field)) return 'write it as json(field, path)'
  const path = inside.slice(comma + 1).trim()
  const read = readJsonPath(path)
  return typeof read === 'string' ? read : { name: 'json', field, path }
}

function plainCall(name: Call['name'], inside: string): Call | string {
  if (/[(),]/.test(inside)) return `"${name}" takes one field, and no function inside`
  const field = inside.trim()
  return field === '' ? `"${name}" needs a field` : { name, field, path: undefined }
}

/** The arguments of `$FOLLOW`. */
interface Follow {
  readonly collection: string
  readonly field: string
  /** For many-to-any: the field that names the collection. */
  readonly by: string | undefined
}

/** Reads `$FOLLOW(collection, field)` or `$FOLLOW(junction, item, collection)`. */
export function readFollow(text: string): Follow | undefined {
  const inside = /^\$FOLLOW\(([^()]*)\)$/.exec(text)?.[1]
  const [collection, field, by, ...more] = inside?.split(',').map((part) => part.trim()) ?? []
  if (!collection || !field || by === '' || more.length > 0) return undefined
  return { collection, field, by }
}
