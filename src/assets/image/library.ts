// The image library, which is only there for hosts that want pictures made.
import type Sharp from 'sharp'
import { fault } from '../../errors.ts'

export type ImageLibrary = typeof Sharp

const load = async (): Promise<ImageLibrary> => (await import('sharp')).default

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
