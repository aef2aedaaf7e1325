// Welcome text of a new server: example requests for collections that exist.
import type { Collection, Schema } from '../schema/model.ts'
import { installGraphQL } from './terminal.ts'

interface Welcome {
  readonly schema: Schema
  readonly place: string
  readonly url: string
  readonly isGuarded: boolean
  readonly isReadonly: boolean
  readonly hasGraphQL: boolean
}

export function welcome({ schema, place, url, isGuarded, isReadonly, hasGraphQL }: Welcome): string {
  const all = [...schema.collections.values()]
  const header = isGuarded ? ` -H 'Authorization: Bearer '"$QUERNEL_TOKEN"` : ''
  const lines = requested(all).map((path) => `  curl -g '${url}${path}'${header}`)
  const described = [
    '/openapi.json',
    ...(hasGraphQL ? ['/graphql/schema', '/graphql?query={__typename}'] : []),
  ]
  const what = `${all.length} ${all.length === 1 ? 'collection' : 'collections'} of ${place}`
  return `${what} on ${url}/items${hasGraphQL ? ` and ${url}/graphql` : ''}${isReadonly ? ', for reading only' : ''}. Try:

${[...lines, ...described.map((path) => `  curl -g '${url}${path}'${header}`)].join('\n')}
${hasGraphQL ? `\nIn a browser, ${url}/graphql is a page to write GraphQL with.\n` : `\nGraphQL is not answered on ${url}/graphql: it needs the package graphql. ${installGraphQL}\n`}
Stop it with Ctrl+C.
`
}

/** Returns example requests: a list, a list with related items, and a count. */
function requested(all: readonly Collection[]): readonly string[] {
  const lists = all.filter(({ isSingleton }) => !isSingleton)
  const [first] = lists
  const related = lists.flatMap((collection) => {
    const field = [...collection.fields.values()].find(({ kind }) => kind === 'm2o' || kind === 'o2m')
    return field ? [[collection, field] as const] : []
  })[0]
  return [
    ...(first ? [`${itemsOf(first)}?limit=3`] : []),
    ...(related ? [`${itemsOf(related[0])}?fields=*,${safe(related[1].name)}.*&limit=3`] : []),
    ...(first ? [`${itemsOf(first)}?aggregate[count]=*`] : []),
  ]
}

const itemsOf = ({ name }: Collection) => `/items/${safe(name)}`

/** Encodes a name, so that it breaks neither the URL nor the quotes around it. */
const safe = (name: string) => encodeURIComponent(name).replaceAll("'", '%27')
