// Packages of Debian, downloaded and unpacked into a folder, without installing anything.
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'

const run = promisify(execFile)

/** Unpacks a package below a folder. Undefined if this Debian does not have it. */
export async function unpacked(name: string, home: string): Promise<string | undefined> {
  const downloads = join(home, 'downloads', name)
  const folder = join(home, 'unpacked', name)
  await mkdir(downloads, { recursive: true })
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) return folder
  try {
    await run('apt-get', ['download', '-q', name], { cwd: downloads })
  } catch {
    return undefined
  }
  for (const file of await readdir(downloads)) await run('dpkg-deb', ['-x', join(downloads, file), folder])
  return folder
}

/** The texts of the files of some folders that match, in the order of the patterns. */
export async function textsOf(
  folders: readonly string[],
  patterns: readonly (string | RegExp)[],
): Promise<readonly string[]> {
  const files: string[] = []
  for (const folder of folders) {
    const all = await readdir(folder, { recursive: true, withFileTypes: true })
    files.push(...all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)))
  }
  files.sort()
  const wanted = new Set(patterns.flatMap((pattern) => files.filter((file) => isMatch(file, pattern))))
  return Promise.all([...wanted].map(textOf))
}

const isMatch = (file: string, pattern: string | RegExp): boolean =>
  typeof pattern === 'string' ? file.endsWith(pattern) : pattern.test(file)

async function textOf(file: string): Promise<string> {
  const bytes = await readFile(file)
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
}
