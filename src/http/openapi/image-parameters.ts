// Image parameters, from the same table that the parser uses.
import { parameterKinds } from '../../images/image-parameters.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import type { Images } from '../../variants/images.ts'
import { parameterNamed, schemaNamed } from './component-names.ts'
import type { OpenApiParameter, OpenApiReference } from './document.ts'

type Name = keyof typeof parameterKinds

const names = Object.keys(parameterKinds) as Name[] // the keys of the table are its names

/** Returns the parameters that an engine accepts. Without presets there is no `key`. */
function taken({ allowed, presets }: Images): readonly Name[] {
  if (allowed === 'none') return []
  return names.filter((name) => (name === 'key' ? presets.length > 0 : allowed === 'all'))
}

export const imageParameters = (pictures: Images): readonly OpenApiReference[] =>
  taken(pictures).map((name) => parameterNamed(componentOf(name)))

// The prefix avoids a clash with a collection called "image".
const componentOf = (name: Name): string => `_image.${name}`

export const imageParameterComponents = (pictures: Images): Readonly<Record<string, OpenApiParameter>> =>
  Object.fromEntries(taken(pictures).map((name) => [componentOf(name), parameterOf(name, pictures)]))

function parameterOf(name: Name, { presets }: Images): OpenApiParameter {
  const { doc, takes } = parameterKinds[name]
  const own = { name, in: 'query', description: withoutLinks(doc) } as const
  if (name === 'transforms')
    return { ...own, content: { 'application/json': { schema: schemaNamed('_transforms') } } }
  if (name === 'key') return { ...own, schema: { type: 'string', enum: presets } }
  return { ...own, schema: inAddress(takes.schema) }
}

/** Removes links: the texts of the table link to neighbouring pages. */
const withoutLinks = (doc: string): string => doc.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')

/** Returns the schema of a parameter in a URL, where numbers and flags are texts anyway. */
function inAddress({ type, enum: values, pattern, ...bounds }: JsonSchema): JsonSchema {
  if (Array.isArray(type)) return { type: type[0], ...bounds }
  const isFlag = Array.isArray(values) && values.includes(true)
  return isFlag ? { type: 'boolean' } : { type, enum: values }
}

export const transformSchemas = (pictures: Images): Readonly<Record<string, JsonSchema>> =>
  taken(pictures).includes('transforms')
    ? { _transforms: { ...parameterKinds.transforms.takes.schema, maxItems: pictures.operations } }
    : {}
