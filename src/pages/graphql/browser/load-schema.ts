// The schema that the caller sees, or one sentence about why there is none.
import { errorsInText } from '../language/answer-errors.ts'
import { type KnownSchema, readSchema, schemaQuestion } from '../language/known-schema.ts'
import { type ReceivedAnswer, send } from './send.ts'

/** Asks for the schema of the caller with the token. */
export async function loadSchema(token: string, signal: AbortSignal): Promise<KnownSchema | string> {
  const request = { query: schemaQuestion, variables: '', operation: '', token, signal }
  const answer = await send(request).catch(() => undefined)
  return answer ? readAnswer(answer, token) : 'The server cannot be reached.'
}

function readAnswer({ text, isJson, status }: ReceivedAnswer, token: string): KnownSchema | string {
  const schema = isJson ? schemaIn(text) : undefined
  if (schema) return schema
  if (status === 401)
    return token === ''
      ? 'The server wants a token. Type it in above.'
      : 'The server does not know this token.'
  const [told = `It has answered ${status}.`] = (isJson ? errorsInText(text) : []).map(
    ({ message }) => message,
  )
  if (/introspection/i.test(told))
    return 'Introspection is off on this server. Documents run as ever, without completion and without a schema at the side.'
  return `The server does not show its schema, so that nothing can be completed. It says: ${told}`
}

function schemaIn(text: string): KnownSchema | undefined {
  try {
    return readSchema(Reflect.get(Object(JSON.parse(text)), 'data'))
  } catch {
    // The errors of the answer say that it is no JSON.
    return undefined
  }
}
