// The page of GraphQL: its script, its style and its HTML become one module of the library.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { root, textOf } from './texts.ts'

const folder = 'src/graphql/page/browser'

/** The module with the whole page. Neither the machine nor the order of files matters: the version of esbuild is in the lock. */
export function graphqlPageModule(): string {
  const script = minified('main.ts')
  const style = minified('page.css')
  // A function, because "$&" in a script would stand for something.
  const html = textOf(`${folder}/page.html`)
    .replace(/>\s*\n\s*/g, '>')
    .replace('/* style */', () => style)
    .replace('/* script */', () => script)
  return `// Printed by "npm run docs" from ${folder}. Change it there.

/** The page. */
export const html =
  ${JSON.stringify(html)}

/** The script that the page may run, for its Content-Security-Policy. */
export const scriptHash = '${hashOf(script)}'

/** The style that it may have. */
export const styleHash = '${hashOf(style)}'
`
}

function minified(name: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, folder, name)],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome109', 'firefox115', 'safari16'],
    platform: 'browser',
    // A host's own settings would change what is printed.
    tsconfigRaw: {},
    legalComments: 'none',
    charset: 'utf8',
  })
  return (outputFiles[0]?.text ?? '').trim()
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`
