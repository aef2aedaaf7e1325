// The pages of every export, made from the comments in the source.

import { type Entry, type Exported, readEntries } from './entries.ts'
import { code, table } from './tables.ts'

export const entries = readEntries()

/** What each entry holds, and where its story is told. */
const stories: Readonly<Record<string, string>> = {
  quernel:
    'Schemas, engines, queries, and the functions that read and write. [Reading](../reading.md) is a good first page.',
  'quernel/sqlite':
    'A faster and fuller SQLite: see [with Kysely](../with-kysely.md#sqlite-driver-better-sqlite3).',
  'quernel/postgres':
    'PostgreSQL with statements that are prepared once per connection: see [with Kysely](../with-kysely.md#postgresql-driver-pg).',
  'quernel/dialects':
    'The phrases of SQL, to change one or to write a dialect: see [SQL dialects](../dialects.md).',
  'quernel/filter':
    'Schemas, queries and filters without Node: see [filters in the browser](../filters-in-browsers.md).',
  'quernel/export': 'Exports of lists as files: see [exporting](../exporting.md).',
  'quernel/http': 'The REST API: see [over HTTP](../http.md) and [OpenAPI](../openapi.md).',
  'quernel/graphql': 'GraphQL over the same engine: see [GraphQL](../graphql.md).',
  'quernel/flows': 'Automation as data: see [flows](../flows.md).',
  'quernel/realtime':
    'Lists that stay true: see [realtime](../realtime.md) and [the change log](../change-log.md).',
  'quernel/client': 'The same verbs over HTTP, in browsers and elsewhere: see [the client](../client.md).',
  'quernel/client/upload': 'Uploads over HTTP, with their progress: see [the client](../client.md#uploads).',
  'quernel/mcp': 'Tools for agents: see [agents](../agents.md).',
  'quernel/storage': 'Storages of files: see [storage](../storage.md).',
  'quernel/introspect':
    'Schemas of existing databases: see [existing databases](../existing-databases.md) and [coming from Directus](../coming-from-directus.md).',
  'quernel/zod': 'Schemas of zod for payloads and items: see [forms and zod](../forms-and-zod.md).',
  'quernel/testing':
    'Tests for a storage or a source of your own, for any test runner: see [custom storage](../storage.md#custom-storage-definestorage) and [testing a source](../change-log.md#testing-a-source).',
}

/** By their paths from the root. */
export const apiPages = (): Readonly<Record<string, string>> =>
  Object.fromEntries(entries.map((entry) => [`docs/api/${fileOf(entry)}`, pageOf(entry)]))

/** What can be called or used, entry by entry, with links to it. */
export const apiIndex = (): string =>
  entries
    .map((entry) => {
      const rows = entry.exports
        .filter(({ isType }) => !isType)
        .map(({ name, doc }) => [
          `[${code(name)}](api/${fileOf(entry)}#${anchorOf(name)})`,
          firstSentence(doc),
        ])
      return `### ${entry.name}\n\n${table(['name', 'what it does'], rows)}`
    })
    .join('\n')

const fileOf = ({ name }: Entry): string => `${name.slice(name.indexOf('/') + 1).replace('/', '-')}.md`
const anchorOf = (name: string): string => name.toLowerCase()
const firstSentence = (doc: string): string => /^.*?\.(?=\s|$)/s.exec(doc)?.[0].replace(/\s+/g, ' ') ?? doc

function pageOf(entry: Entry): string {
  const story = stories[entry.name]
  if (!story) throw new Error(`Say in ${import.meta.filename} what ${entry.name} holds.`)
  const types = entry.exports.filter(({ isType }) => isType)
  return [
    `# ${entry.name}\n`,
    '<!-- Printed by `npm run docs` from the comments in src/. Change those, not this page. -->\n',
    `${story} The examples use [this set-up](../api.md#set-up-of-the-examples), and run as tests.\n`,
    ...entry.exports.filter(({ isType }) => !isType).map((one) => sectionOf(one, '##')),
    ...(types.length > 0 ? ['## Types\n'] : []),
    ...types.map((one) => sectionOf(one, '###')),
  ].join('\n')
}

function sectionOf({ name, doc, text, examples, file }: Exported, sign: string): string {
  return [
    `${sign} ${name}\n`,
    `${doc}\n`,
    block(text),
    ...examples.map(block),
    `<sub>[${file}](../../${file})</sub>\n`,
  ].join('\n')
}

const block = (text: string): string => `\`\`\`ts\n${text}\n\`\`\`\n`
