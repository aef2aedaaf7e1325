// The image library, which is only installed by hosts that transform images.
import type Sharp from 'sharp'
import { fault } from '../errors/errors.ts'

export type ImageLibrary = typeof Sharp

let loaded: ImageLibrary | undefined

/** Loads the library. It is cached, because another import goes through every loader of the process. */
async function load(): Promise<ImageLibrary> {
  loaded ??= (await import('sharp')).default
  return loaded
}

/** Returns the library, loaded when the first picture is made. */
export async function imageLibrary(from: () => Promise<ImageLibrary> = load): Promise<ImageLibrary> {
  try {
    return await from()
  } catch (error) {
    throw fault('INVALID_OPTIONS', 'Pictures are made by the package "sharp", which cannot be loaded.', {
      hint: 'Install it: npm install sharp',
      cause: error,
    })
  }
}
