// Names of components: encodes names of a schema, which may contain nearly anything, for OpenAPI, which allows few characters.

import type { JsonSchema } from '../../types/family-row.ts'
import type { OpenApiReference } from './document.ts'

/** Returns the name of a component. ASCII letters, digits, `_` and `-` stay; any other character becomes its code point in hex, between
 *  points. No name of a schema contains a point or begins with `_`, so names stay distinct from each other, and from components that belong
 *  to no collection.
 *  @example componentName('café au lait') // 'caf.e9..20.au.20.lait' */
export const componentName = (name: string): string =>
  name.replace(/[^A-Za-z0-9_-]/gu, (character) => `.${character.codePointAt(0)?.toString(16)}.`)

/** Kind of a schema of a collection: its items in responses, or one of these words. */
type ComponentKind =
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
