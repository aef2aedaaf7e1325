import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Chromium {
  /** Rejects if it ends by itself. */
  readonly failed: Promise<never>
  close(): Promise<void>
}

/** Removes the profile of a browser that has ended. Its other processes write into it until they have ended as well. */
export const removeProfile = (profile: string): Promise<void> =>
  rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })

/** Flags that keep a browser to itself. */
export const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Opens an address in a Chromium of its own. It comes from Debian's package `chromium`.
 *  @example const browser = await openChromium('http://localhost:3000') */
export async function openChromium(address: string): Promise<Chromium> {
  const profile = mkdtempSync(join(tmpdir(), 'quernel-chromium-'))
  const browser = spawn('chromium', [...flags, `--user-data-dir=${profile}`, address], { stdio: 'ignore' })
  await once(browser, 'spawn').catch(async (cause: unknown) => {
    await removeProfile(profile)
    throw new Error('There is no Chromium: apt-get install -y chromium', { cause })
  })
  const ended = once(browser, 'exit')
  const failed = ended.then(([code]): never => {
    throw new Error(`Chromium ended with ${code}.`)
  })
  failed.catch(() => undefined) // it is closed in the end
  const close = async () => {
    browser.kill()
    await ended
    await removeProfile(profile)
  }
  return { failed, close }
}
