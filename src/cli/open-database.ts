// Opens an existing database, and never creates one.
import type { HostDatabase } from '../dialects/host.ts'
import { databasePlace } from './database-place.ts'
import type { LoadPackage } from './load-package.ts'
import { openFile } from './open-file.ts'
import { openServer } from './open-server.ts'

export interface OpenOptions {
  /** True if nothing can be changed, whatever is tried. */
  readonly isReadonly: boolean
  /** Callback for errors between two requests. */
  readonly tell: (text: string) => void
  /** Loads a driver. */
  readonly load: LoadPackage
}

/** Opens a file or a URL. */
export async function openDatabase(text: string, options: OpenOptions): Promise<HostDatabase> {
  const place = databasePlace(text)
  return place.kind === 'file'
    ? openFile(place.path, options.isReadonly || place.isReadonly, options.load)
    : openServer(place.url, options, options.load)
}
