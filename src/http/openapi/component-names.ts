// How names of a schema, which may hold nearly anything, become names of components, which may not.
import type { JsonSchema, OpenApiReference } from './document.ts'

/** ASCII letters, digits, `_` and `-` stand for themselves; any other character is its code point in hex, between points. No name of a
 *  schema holds a point or begins with `_`, so names stay apart from each other, and from components that belong to no collection.
 *  @example componentName('café au lait') // 'caf.e9..20.au.20.lait' */
export const componentName = (name: string): string =>
  name.replace(/[^A-Za-z0-9_-]/gu, (character) => `.${character.codePointAt(0)?.toString(16)}.`)

/** A schema that belongs to a collection: its items as they are answered, or what one of the words says. */
export type ComponentKind =
  | 'new'
  | 'create'
  | 'update'
  | 'nested'
  | 'choice'
  | 'conditions'
  | 'filter'
  | 'related'
  | 'children'

export const partName = (collection: string, part?: ComponentKind): string =>
  part === undefined ? componentName(collection) : `${componentName(collection)}.${part}`

export const partOf = (collection: string, part?: ComponentKind): JsonSchema =>
  schemaNamed(partName(collection, part))

export const schemaNamed = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
export const responseNamed = (name: string): OpenApiReference => ({ $ref: `#/components/responses/${name}` })
export const parameterNamed = (name: string): OpenApiReference => ({
  $ref: `#/components/parameters/${name}`,
})
export const headerNamed = (name: string): OpenApiReference => ({ $ref: `#/components/headers/${name}` })
