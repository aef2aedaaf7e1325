// How a picture should look, by the same table that addresses are read by.
import { parameterKinds } from '../../images/image-parameters.ts'
import type { Images } from '../../variants/images.ts'
import { parameterNamed, schemaNamed } from './component-names.ts'
import type { JsonSchema, OpenApiParameter, OpenApiReference } from './document.ts'

type Name = keyof typeof parameterKinds

const names = Object.keys(parameterKinds) as Name[] // the keys of the table are its names

/** The parameters that an engine takes. Where there is no preset, nothing can be asked for by a key. */
function taken({ allowed, presets }: Images): readonly Name[] {
  if (allowed === 'none') return []
  return names.filter((name) => (name === 'key' ? presets.length > 0 : allowed === 'all'))
}

export const imageParameters = (pictures: Images): readonly OpenApiReference[] =>
  taken(pictures).map((name) => parameterNamed(componentOf(name)))

// Apart from those of a collection, which may be called "image".
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

/** The lines of the table link to pages that stand beside them. */
const withoutLinks = (doc: string): string => doc.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')

/** Everything in an address is text, so that nobody needs to be told that numbers and flags may be. */
function inAddress({ type, enum: values, pattern, ...bounds }: JsonSchema): JsonSchema {
  if (Array.isArray(type)) return { type: type[0], ...bounds }
  const isFlag = Array.isArray(values) && values.includes(true)
  return isFlag ? { type: 'boolean' } : { type, enum: values }
}

/** What may stand in `transforms`, where it may. */
export const transformSchemas = (pictures: Images): Readonly<Record<string, JsonSchema>> =>
  taken(pictures).includes('transforms')
    ? { _transforms: { ...parameterKinds.transforms.takes.schema, maxItems: pictures.operations } }
    : {}
