// The schema that the caller sees, or one sentence about why there is none.
import { errorsIn } from '../language/answer-errors.ts'
import { type KnownSchema, readSchema, schemaQuestion } from '../language/known-schema.ts'
import { type ReceivedAnswer, send } from './send.ts'

/** Asks for the schema of the caller with the token. */
export async function loadSchema(token: string, signal: AbortSignal): Promise<KnownSchema | string> {
  try {
    const answer = await send({ query: schemaQuestion, variables: '', operation: '', token, signal })
    return readAnswer(answer, token)
  } catch {
    return 'The server cannot be reached.'
  }
}

function readAnswer({ text, isJson, status }: ReceivedAnswer, token: string): KnownSchema | string {
  const answer: unknown = isJson ? JSON.parse(text) : undefined
  const schema = readSchema(Reflect.get(Object(answer), 'data'))
  if (schema) return schema
  if (status === 401)
    return token === ''
      ? 'The server wants a token. Type it in above.'
      : 'The server does not know this token.'
  const [told = `It has answered ${status}.`] = errorsIn(answer).map(({ message }) => message)
  if (/introspection/i.test(told))
    return 'Introspection is off on this server. Documents run as ever, without completion and without a schema at the side.'
  return `The server does not show its schema, so that nothing can be completed. It says: ${told}`
}
