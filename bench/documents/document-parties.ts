import type { DatabaseName } from '../options.ts'
import { takesPart } from '../parties.ts'
import type { DocumentParty } from './document-party.ts'
import { openDocuments, openFunctions, openNarrowedDocuments } from './quernel-documents.ts'

type Open = (database: DatabaseName, place: string) => DocumentParty | Promise<DocumentParty>

/** All are compared with what Quernel does without GraphQL. */
export const base = 'quernel, functions'

const openers: Readonly<Record<string, Open>> = {
  [base]: openFunctions,
  quernel: openDocuments,
  'quernel, narrowed': openNarrowedDocuments,
  'yoga, drizzle': installed('yoga'),
  'pothos, prisma': installed('pothos'),
  'mercurius, drizzle': installed('mercurius'),
  postgraphile: installed('postgraphile'),
}

/** PostGraphile is for PostgreSQL only. */
const elsewhere: Readonly<Record<DatabaseName, readonly string[]>> = {
  sqlite: ['postgraphile'],
  postgres: [],
}

/** Opens the parties that were chosen. What all are compared with comes first, and is always there. */
export async function openDocumentParties(
  database: DatabaseName,
  place: string,
  only?: readonly string[],
): Promise<readonly DocumentParty[]> {
  const parties: DocumentParty[] = []
  for (const [name, open] of Object.entries(openers)) {
    const isChosen = name === base || takesPart(name, only)
    if (isChosen && !elsewhere[database].includes(name)) parties.push(await open(database, place))
  }
  return parties
}

/** A peer from the package of the bench. It is loaded by name, so that types can be checked before it is installed. */
function installed(name: string): Open {
  return async (database, place) => {
    const module: { readonly openDocuments: Open } = await import(
      new URL(`../peers/${name}.ts`, import.meta.url).href
    )
    return module.openDocuments(database, place)
  }
}
