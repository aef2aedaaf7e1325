// Builds the pages for browsers, and the program of threads, into modules of the library. These are not committed: the tests, `npm run build` and `npm start` make them anew.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, buildSync } from 'esbuild'

const root = fileURLToPath(new URL('.', import.meta.url))

/** The pages, each a folder with `main.ts`, `page.css` and `page.html`, and the module that its build is. */
const pages = [{ source: 'src/pages/graphql/browser', module: 'src/pages/graphql/built-page.js' }]

/** The program of the threads that read SQLite, which is passed to them as a text. */
const thread = {
  source: 'src/drivers/sqlite/readers/thread.ts',
  module: 'src/drivers/sqlite/readers/built-thread.js',
}

/** Builds all pages and programs whose sources have changed. */
export function buildPages(): void {
  for (const { source, module } of pages) replace(join(root, module), moduleOf(source))
  const program = bundled(thread.source, { format: 'cjs', target: 'node20', platform: 'node' })
  replace(
    join(root, thread.module),
    `// Built from ${thread.source}. Change it there.\nexport const program = ${JSON.stringify(program)}\n`,
  )
}

/** Replaces a file at once: other processes may read it, or build it, too. */
function replace(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, path)
}

/** The module of a page. Neither the machine nor the order of files matters: the version of esbuild is in the lock. */
function moduleOf(folder: string): string {
  const script = minified(folder, 'main.ts')
  const style = minified(folder, 'page.css')
  // A function, because "$&" in a script would stand for something.
  const html = readFileSync(join(root, folder, 'page.html'), 'utf8')
    .replace(/>\s*\n\s*/g, '>')
    .replace('/* style */', () => style)
    .replace('/* script */', () => script)
  return `// Built from ${folder}. Change it there.
export const html = ${JSON.stringify(html)}
export const scriptHash = '${hashOf(script)}'
export const styleHash = '${hashOf(style)}'
`
}

const minified = (folder: string, name: string): string =>
  bundled(join(folder, name), {
    format: 'iife',
    target: ['chrome109', 'firefox115', 'safari16'],
    platform: 'browser',
  })

function bundled(path: string, options: Pick<BuildOptions, 'format' | 'target' | 'platform'>): string {
  const { outputFiles } = buildSync({
    ...options,
    entryPoints: [join(root, path)],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    // A host's own settings would change what is built.
    tsconfigRaw: {},
    legalComments: 'none',
    charset: 'utf8',
  })
  return (outputFiles[0]?.text ?? '').trim()
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

if (process.argv[1] === fileURLToPath(import.meta.url)) buildPages()
