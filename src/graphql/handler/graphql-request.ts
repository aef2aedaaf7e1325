// Reads the request of GraphQL over HTTP: from the body of a POST, or from the address of a GET.
import { fault, quote } from '../../errors/errors.ts'
import type { MountRequest } from '../../http/mounts.ts'
import { isRecord } from '../../values/guards.ts'
import type { GraphQLRequest } from '../answer/asked.ts'

/** Returns the request. What it holds is checked where it is answered. */
export async function graphqlRequest({ method, queryString, body }: MountRequest): Promise<GraphQLRequest> {
  return method === 'POST' ? inBody(await body()) : inAddress(queryString)
}

function inBody(body: unknown): GraphQLRequest {
  if (Array.isArray(body))
    throw fault('INVALID_PAYLOAD', 'A request holds one document. Several of them are several requests.')
  if (!isRecord(body)) throw fault('INVALID_PAYLOAD', `A request is an object, not ${quote(body)}.`)
  const { query, variables, operationName } = body
  return requestOf(query, variables, operationName)
}

function inAddress(queryString: string): GraphQLRequest {
  const given = new URLSearchParams(queryString)
  const variables = given.get('variables')
  return requestOf(
    given.get('query'),
    variables === null ? undefined : parsed(variables),
    given.get('operationName'),
  )
}

function parsed(variables: string): unknown {
  try {
    return JSON.parse(variables)
  } catch (cause) {
    throw fault('INVALID_PAYLOAD', '"variables" is not valid JSON.', { path: ['variables'], cause })
  }
}

function requestOf(query: unknown, variables: unknown, operationName: unknown): GraphQLRequest {
  if (typeof query !== 'string' || query === '')
    throw fault('INVALID_PAYLOAD', 'A request of GraphQL has a document, as the text "query".', {
      path: ['query'],
    })
  if (variables !== undefined && variables !== null && !isRecord(variables))
    throw fault('INVALID_PAYLOAD', `"variables" is an object, not ${quote(variables)}.`, {
      path: ['variables'],
    })
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
    throw fault('INVALID_PAYLOAD', `"operationName" is a text, not ${quote(operationName)}.`, {
      path: ['operationName'],
    })
  return { query, variables, operationName }
}
