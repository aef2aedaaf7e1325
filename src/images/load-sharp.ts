// The image library, which is only there for hosts that want pictures made.
import type Sharp from 'sharp'
import { fault } from '../errors/errors.ts'

export type ImageLibrary = typeof Sharp

let loaded: ImageLibrary | undefined

/** Kept, because to import it again goes through every loader of the process. */
async function load(): Promise<ImageLibrary> {
  loaded ??= (await import('sharp')).default
  return loaded
}

/** The library, loaded when the first picture is made. */
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
