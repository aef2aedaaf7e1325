/** The names of all operations. They are apart from the table, because types of the package need them and must
 *  not need the image library. */
export const operationNames = [
  'resize',
  'extend',
  'extract',
  'trim',
  'rotate',
  'flip',
  'flop',
  'sharpen',
  'median',
  'blur',
  'normalise',
  'clahe',
  'convolve',
  'threshold',
  'flatten',
  'gamma',
  'negate',
  'linear',
  'recomb',
  'modulate',
  'tint',
  'greyscale',
  'toColourspace',
  'removeAlpha',
  'ensureAlpha',
  'extractChannel',
  'bandbool',
  'toFormat',
  'jpeg',
  'png',
  'webp',
  'avif',
  'tiff',
] as const

/** Other spellings of some names. */
export const sameOperations = {
  normalize: 'normalise',
  grayscale: 'greyscale',
  toColorspace: 'toColourspace',
} as const satisfies Record<string, (typeof operationNames)[number]>

export type OperationName = (typeof operationNames)[number] | keyof typeof sameOperations
