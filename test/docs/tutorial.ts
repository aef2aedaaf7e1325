// The steps of the tutorial, and the files that stand in its folder behind each of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export interface Step {
  readonly title: string
  /** By path, as they are once this step is done. */
  readonly files: ReadonlyMap<string, string>
  /** Lines of the shell, each with what it prints. */
  readonly commands: readonly Command[]
}

export interface Command {
  readonly line: string
  /** Empty where the page does not say it. */
  readonly output: string
}

/** @example const [tables] = readTutorial() */
export function readTutorial(): readonly Step[] {
  const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8')
  let files: ReadonlyMap<string, string> = new Map()
  return page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const blocks = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
      const isShell = ([, language]: RegExpExecArray) => language === 'sh'
      for (const block of blocks.filter((one) => !isShell(one))) files = withBlock(files, block[2] ?? '')
      return {
        title: section.slice(0, section.indexOf('\n')),
        files,
        commands: blocks.filter(isShell).flatMap(([, , text = '']) => commandsOf(text)),
      }
    })
}

/** The first line names the file, and where the rest belongs, if it is not the whole of it. */
function withBlock(files: ReadonlyMap<string, string>, block: string): ReadonlyMap<string, string> {
  const [first = '', ...rest] = block.split('\n')
  const [, path = '', place] = /^(?:\/\/|#|\/\*|<!--) ([\w./]+)(?:, (.*?))?(?: \*\/| -->)?$/.exec(first) ?? []
  const before = files.get(path)
  if (path === '' || (place !== undefined && before === undefined))
    throw new Error(`The tutorial does not say where this belongs: ${first}`)
  return new Map(files).set(path, placed(before ?? '', rest.join('\n'), place))
}

function placed(before: string, text: string, place: string | undefined): string {
  if (place === undefined) return text
  if (place === 'at its end') return before + text
  if (place !== 'below its imports') throw new Error(`Where is "${place}"?`)
  const imports = /^(?:import .*\n)+/.exec(before)?.[0] ?? ''
  return imports + text + before.slice(imports.length)
}

function commandsOf(text: string): readonly Command[] {
  const commands: Command[] = []
  for (const line of text.trimEnd().split('\n')) {
    const last = commands.at(-1)
    if (line.startsWith('# ') && last) commands.splice(-1, 1, { ...last, output: line.slice(2) })
    else commands.push({ line, output: '' })
  }
  return commands
}
