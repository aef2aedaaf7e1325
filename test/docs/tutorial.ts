// The steps of the tutorial, and the files that stand in its folder behind each of them.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { runHere } from '../cli/command.ts'

const root = join(import.meta.dirname, '../..')

export interface Step {
  readonly title: string
  /** By path, as they are once this step is done. */
  readonly files: ReadonlyMap<string, string>
  /** Lines of the shell, each with what it prints. */
  readonly commands: readonly Command[]
  /** Lines of code that a reader writes in this step, without those that name files. */
  readonly lines: number
}

export interface Command {
  readonly line: string
  /** Empty where the page does not say it. */
  readonly output: string
}

export interface Tutorial {
  readonly steps: readonly Step[]
  /** What `quernel init` writes, from which the first step copies. */
  readonly finished: ReadonlyMap<string, string>
}

/** @example const { steps } = await readTutorial() */
export async function readTutorial(): Promise<Tutorial> {
  const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8')
  const finished = await finishedFiles()
  let files: ReadonlyMap<string, string> = new Map()
  const steps = page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const blocks = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
      const isShell = ([, language]: RegExpExecArray) => language === 'sh'
      const commands = blocks.filter(isShell).flatMap(([, , text = '']) => commandsOf(text))
      for (const { line } of commands) files = withCopies(files, line, finished)
      const written = blocks.filter((one) => !isShell(one)).map(([, , text = '']) => text)
      for (const text of written) files = withBlock(files, text)
      return {
        title: section.slice(0, section.indexOf('\n')),
        files,
        commands,
        lines: written.reduce((sum, text) => sum + text.split('\n').length - 2, 0),
      }
    })
  return { steps, finished }
}

async function finishedFiles(): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'quernel-'))
  await runHere(['init', folder])
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')] as const)
  rmSync(folder, { recursive: true })
  return new Map(files)
}

/** Does what `cp` does with files of the finished board. */
function withCopies(
  files: ReadonlyMap<string, string>,
  line: string,
  finished: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const [, sources, folder = ''] = /^cp (.*) (\S+)$/.exec(line) ?? []
  const copies = (sources?.split(' ') ?? []).map((source) => {
    const text = finished.get(source.replace('../finished/', ''))
    if (text === undefined) throw new Error(`There is no ${source} to copy.`)
    return [join(folder, basename(source)), text] as const
  })
  return new Map([...files, ...copies])
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
  if (place === 'instead of its last line') return before.replace(/.*\n$/, text)
  const imports = /^(?:import .*\n)+/.exec(before)?.[0] ?? ''
  const rest = before.slice(imports.length)
  if (place === 'below its imports') return imports + text + rest
  if (place !== 'among its imports') throw new Error(`Where is "${place}"?`)
  // Packages first, as formatters sort them.
  const rank = (line: string) => line.replace(/.* from '/, '').replace(/^\./, '~')
  const sorted = (imports + text).match(/.*\n/g)?.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  return sorted?.join('') + rest
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
