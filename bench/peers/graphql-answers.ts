import { coldDocuments } from '../documents/cold.ts'
import type { DocumentParty } from '../documents/document-party.ts'
import { documents } from './graphql-documents.ts'

/** Answers a document with objects. */
export type Execute = (
  query: string,
  variables: Readonly<Record<string, number>>,
) => Promise<{ readonly data?: unknown; readonly errors?: unknown }>

/** All that a server is asked, and what `JSON.stringify` makes of its answers. */
export function answersOf(execute: Execute): DocumentParty['answers'] {
  const ask: (...request: Parameters<Execute>) => Promise<string> = async (query, variables) => {
    const answer = await execute(query, variables)
    if (answer.errors) throw new Error(JSON.stringify(answer.errors))
    return JSON.stringify(answer)
  }
  const cold = coldDocuments(documents.D6)
  return {
    D1: ({ page }) => ask(documents.D1, { page }),
    D3: () => ask(documents.D3, {}),
    D6: ({ key }) => ask(documents.D6, { key }),
    D7: ({ most }) => ask(documents.D7, { most }),
    DC: ({ key }) => ask(cold(), { key }),
  }
}
