// Opens an existing database, and never creates one.
import type { HostDatabase } from '../dialects/host.ts'
import { databasePlace } from './database-place.ts'
import { openFile } from './open-file.ts'
import { type OpenOptions, openServer } from './open-server.ts'

/** Opens a file or a URL. */
export async function openDatabase(text: string, options: OpenOptions): Promise<HostDatabase> {
  const place = databasePlace(text)
  return place.kind === 'file'
    ? openFile(place.path, options.isReadonly || place.isReadonly, options.load)
    : openServer(place.url, options)
}
