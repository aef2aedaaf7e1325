// Documents of some collections, in which the others stand as objects that nothing is said of.

import { fault, quote } from '../../errors/errors.ts'
import { suggestion } from '../../errors/suggest.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import type { OpenApiDocument } from './document.ts'

/** Returns a test for the collections that a document describes; without names all of them. */
export function selectedBy(
  names: readonly unknown[] | undefined,
  visible: readonly string[],
): (name: string) => boolean {
  if (!names) return () => true
  for (const [index, name] of names.entries()) {
    if (visible.some((one) => one === name)) continue
    const hint = typeof name === 'string' ? suggestion(name, visible) : undefined
    throw fault('INVALID_OPTIONS', `There is no collection ${quote(name)}.`, {
      path: ['collections', index],
      ...(hint !== undefined && { hint }),
    })
  }
  return (name) => names.includes(name)
}

/** Adds a schema for each one that a document refers to and does not have. */
export function withOthers(document: OpenApiDocument): OpenApiDocument {
  const { components } = document
  const missing = [...schemasIn(document)].filter((name) => !Object.hasOwn(components.schemas, name))
  if (missing.length === 0) return document
  const others = Object.fromEntries(missing.map((name) => [name, other]))
  return { ...document, components: { ...components, schemas: { ...components.schemas, ...others } } }
}

const other: JsonSchema = { type: 'object', description: 'Described in the document of its collection.' }

const before = '#/components/schemas/'

function* schemasIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inside] of Object.entries(value))
    if (key === '$ref' && typeof inside === 'string' && inside.startsWith(before))
      yield inside.slice(before.length)
    else yield* schemasIn(inside)
}
