// Formats with their dimensions at a fixed offset.
import type { DimensionsReader } from './bytes.ts'

export const gif: DimensionsReader = async (read) => {
  const view = await read(6, 4)
  return view && { width: view.getUint16(0, true), height: view.getUint16(2, true) }
}

export const bmp: DimensionsReader = async (read) => {
  const view = await read(14, 12)
  if (!view) return undefined
  if (view.getUint32(0, true) === 12)
    return { width: view.getUint16(4, true), height: view.getUint16(6, true) }
  // An image that is stored from top to bottom has a negative height.
  return { width: view.getInt32(4, true), height: Math.abs(view.getInt32(8, true)) }
}
