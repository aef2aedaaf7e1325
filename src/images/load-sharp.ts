// The image library, which is only installed by hosts that transform images.
import type Sharp from 'sharp'
import { fault } from '../errors/errors.ts'

export type ImageLibrary = typeof Sharp

let loaded: ImageLibrary | undefined

/** Returns the library, loaded when the first picture is made. It is cached, because another import goes through every loader of the process. */
export async function imageLibrary(from?: () => Promise<ImageLibrary>): Promise<ImageLibrary> {
  try {
    if (from) return await from()
    // Bundlers pass over a package that is not installed only where its import stands inside of "try".
    loaded ??= (await import('sharp')).default
    return loaded
  } catch (error) {
    throw fault('INVALID_OPTIONS', 'Pictures are made by the package "sharp", which cannot be loaded.', {
      hint: 'Install it: npm install sharp',
      cause: error,
    })
  }
}
