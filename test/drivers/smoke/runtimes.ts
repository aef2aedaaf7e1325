// Runtimes beside Node: Bun, and Deno where `DENO` names its program.
import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface Runtime {
  readonly name: 'bun' | 'deno'
  readonly command: readonly string[]
}

const bun = join(createRequire(import.meta.url).resolve('bun/package.json'), '../bin/bun.exe')
const { DENO: deno } = process.env

export const runtimes: readonly Runtime[] = [
  { name: 'bun', command: [bun] },
  ...(deno ? [{ name: 'deno', command: [deno, 'run', '--allow-all', '--no-check'] } as const] : []),
]
