// The schema for a caller: `GET /schema`.
import { describeSchema, type SchemaDescription } from '../../engine/describe-schema.ts'
import { internalsOf } from '../../engine/engine.ts'
import { schemaText } from '../../engine/schema-text.ts'
import { fault, quote } from '../../errors/errors.ts'
import { json, type RouteFunction } from '../messages.ts'

/** Answer of `GET /schema`: what there is for the caller. */
export interface ApiDescription extends SchemaDescription {
  /** Parts of the API beside items: collections of `/files` and `/versions`, and paths of mounts. */
  readonly installed: Readonly<Record<string, string>>
}

/** Answers what the caller sees of the schema: as data, or as text with a line for each collection. */
export const describe: RouteFunction = async (engine, { queryString, installed: mounted }) => {
  const core = internalsOf(engine)
  const isText = asText(queryString)
  const described = describeSchema(core)
  if (isText) return { status: 200, headers: { 'content-type': textType }, body: schemaText(described) }
  const own = { files: core.files?.collection.name, versions: core.versions().name }
  const installed = Object.fromEntries([
    ...Object.entries(own).flatMap(([part, name]) =>
      name !== undefined && Object.hasOwn(described.collections, name) ? [[part, name]] : [],
    ),
    ...Object.entries(mounted),
  ])
  const data: ApiDescription = { installed, ...described }
  return json(JSON.stringify({ data }))
}

const textType = 'text/plain; charset=utf-8'

function asText(queryString: string): boolean {
  const parameters = new URLSearchParams(queryString)
  const other = [...parameters.keys()].find((name) => name !== 'as')
  const [as, ...others] = parameters.getAll('as')
  if (other !== undefined || others.length > 0)
    throw fault('INVALID_QUERY', 'The description of the schema takes one parameter, "as".', {
      path: [other ?? 'as'],
    })
  if (as === undefined || as === 'json' || as === 'text') return as === 'text'
  throw fault('INVALID_QUERY', `The schema is described as "json" or "text", not as ${quote(as)}.`, {
    path: ['as'],
  })
}
