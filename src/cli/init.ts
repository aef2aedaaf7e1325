// A project to begin with: the end of the tutorial, over the chosen server and database.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { InitArguments } from './arguments.ts'
import { failure, misuse, reasonOf, type Terminal } from './terminal.ts'

/** Folders of templates by each choice, the usual one first. */
type Choices = Readonly<Record<'server' | 'database', Readonly<Record<string, readonly string[]>>>>

/** Writes the files of a project into a new or an empty folder. */
export function init(words: InitArguments, { out, templates, version }: Terminal): undefined {
  const { folder } = words
  if (folder === '') throw misuse('The name of the folder is empty.')
  const choices: Choices = JSON.parse(readFileSync(join(templates, 'choices.json'), 'utf8'))
  const chosen = (['server', 'database'] as const).flatMap((option) => {
    const names = Object.keys(choices[option])
    const name = words[option] ?? names[0] ?? ''
    if (names.includes(name)) return choices[option][name] ?? []
    throw misuse(`--${option} takes ${names.join(', ')}, and not ${JSON.stringify(name)}.`)
  })
  const files = mergedFiles(
    ['common', ...chosen].map((name) => join(templates, name)),
    version(),
  )
  if (existsSync(folder) && !(statSync(folder).isDirectory() && readdirSync(folder).length === 0))
    throw failure(`${folder} is not an empty folder.`, 'Name a folder that is empty, or not there yet.')
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      // A file that another process has made meanwhile is not overwritten.
      writeFileSync(join(folder, path), text, { flag: 'wx' })
    }
  } catch (error) {
    throw failure(`The project cannot be written: ${reasonOf(error)}.`, undefined, error)
  }
  const enter = folder === '.' ? '' : `  cd ${inShell(folder)}\n`
  out(`${files.size} files are written. Go on with\n\n${enter}  npm install\n  npm test\n  npm start\n
The tokens in rules.ts are examples: put your sign-in there before others can reach the server.\n`)
}

const inShell = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Returns the files of several folders. They share a package.json, and later folders replace files of earlier ones. */
function mergedFiles(sources: readonly string[], version: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const source of sources)
    for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = join(entry.parentPath, entry.name)
      const text = readFileSync(file, 'utf8')
      // Registries leave out files with a dot that a package brings.
      const path = file.slice(source.length + 1).replace(/(^|[\\/])_/, '$1.')
      const known = files.get(path)
      files.set(path, path === 'package.json' && known ? mergedManifest(known, text) : text)
    }
  const manifest = files.get('package.json') ?? ''
  return files.set('package.json', manifest.replace('"quernel": "*"', `"quernel": "^${version}"`))
}

function mergedManifest(one: string, other: string): string {
  const merged: Record<string, unknown> = JSON.parse(one)
  for (const [name, values] of Object.entries<object>(JSON.parse(other)))
    merged[name] = Object.fromEntries(
      Object.entries({ ...Object(merged[name]), ...values }).sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  return `${JSON.stringify(merged, null, 2)}\n`
}
