import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Loads a package or a module of Node; undefined if there is none of that name. */
export type LoadPackage = (name: string) => Promise<object | undefined>

/** Returns the function that loads what the project in a folder has installed, since the command itself may be somewhere else: npx keeps
 *  it in a cache of its own. What the project has not is looked for beside the command. */
export function packagesOf(folder: string): LoadPackage {
  const ofProject = createRequire(join(folder, 'package.json'))
  const ofCommand = createRequire(import.meta.url)
  return async (name) => {
    if (name.startsWith('node:')) return process.getBuiltinModule?.(name)
    const path = resolved(ofProject, name) ?? resolved(ofCommand, name)
    return path === undefined ? undefined : import(pathToFileURL(path).href)
  }
}

function resolved(from: NodeJS.Require, name: string): string | undefined {
  try {
    return from.resolve(name)
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}
