// IPX, which makes pictures of files when it is asked for them, and stores none.
import { basename, dirname } from 'node:path'
import { createIPX, ipxFSStorage } from 'ipx'
import { type Painter, quality } from '../pictures.ts'

/** The same work for all: it would write progressive JPEG, and AVIF with an effort of 4. These are names of the library's own state. */
const sharpOptions: Readonly<Record<string, unknown>> = { jpegProgressive: false, heifEffort: 2 }

/** @public Loaded by name, once the peers are installed. */
export function openPainter(photo: string): Painter {
  const ipx = createIPX({
    storage: ipxFSStorage({ dir: dirname(photo) }),
    sharpOptions,
  })
  return {
    name: 'ipx',
    forms: {
      process: async ({ format, width, height }) => {
        const modifiers = { resize: `${width}x${height}`, fit: 'cover', format, quality: String(quality) }
        const { data } = await ipx(basename(photo), modifiers).process()
        return Buffer.from(data)
      },
    },
    stored: {},
    close: async () => {},
  }
}
