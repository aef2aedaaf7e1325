// The examples in the comments of the source, as pages: what docs/api.md sets up, and behind it one example.
import { entries } from '../../docs/print/api.ts'
import { textOf } from '../../docs/print/texts.ts'
import { type Page, readPage } from './page.ts'

/** Each example is a page of its own, so that none depends on what another has left. */
export function pagesOfComments(folder: string): readonly Page[] {
  const [set = '', , ofClient = ''] = textOf('docs/api.md').match(/^```ts\n[\s\S]*?^```$/gm) ?? []
  // The set-up has an import of two names that the client has, too.
  const apart = set
    .replaceAll(/\b(createVersion|uploadFile)\b/g, '$1There')
    .replace(/\b(\w+)There\b(?=[^(]*from 'quernel')/g, '$1 as $1There')
  const stageOf = (entry: string) => (entry.startsWith('quernel/client') ? `${apart}\n\n${ofClient}` : set)
  return entries.flatMap(({ name: entry, exports }) =>
    exports.flatMap(({ name, examples }) =>
      examples.map((example, index) =>
        readPage(
          // Two names may differ in nothing but their case, as file names must not.
          `${entry} ${/^[A-Z]/.test(name) ? 'type ' : ''}${name} ${index + 1}`,
          `${stageOf(entry)}\n\n\`\`\`ts\n${importsFor(example, entry, stageOf(entry))}\n${example}\n\`\`\`\n`,
          folder,
        ),
      ),
    ),
  )
}

/** A page of the reference needs no imports: its examples use what the package exports, of its own entry first. */
function importsFor(example: string, entry: string, stage: string): string {
  const imported = [...`${stage}\n${example}`.matchAll(/^import ([^']*) from /gm)]
    .join(' ')
    // What is imported under another name.
    .replace(/\w+ as /g, '')
  const declared = [...example.matchAll(/^const (\w+|\{[^}]*\}|\[[^\]]*\])/gm)].join(' ')
  const isNamed = (name: string, text: string) => new RegExp(`\\b${name}\\b`).test(text)
  const found = new Map<string, string>()
  // What is called with an engine is no verb of the client, and it makes no errors.
  const first =
    entry.startsWith('quernel/client') && isNamed('engine|new EngineError', example) ? 'quernel' : entry
  for (const { name: from, exports } of [...entries].sort((a) => (a.name === first ? -1 : 1)))
    for (const { name, isType } of exports)
      if (isNamed(name, example) && !isNamed(name, `${imported} ${declared}`) && !found.has(name))
        found.set(name, `import ${isType ? 'type ' : ''}{ ${name} } from '${from}'`)
  return [...found.values()].join('\n')
}
