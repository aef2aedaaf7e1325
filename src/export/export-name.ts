/** Returns a name for a file of a collection: `articles-20240301T120000Z.csv`. */
export function fileName(collection: string, extension: string, at: Date): string {
  // Any file system accepts these characters, and 48 of them in any script.
  const name = [...collection.replace(/[^\p{L}\p{M}\p{N}_-]/gu, '_')].slice(0, 48).join('')
  const moment = at.toISOString().replace(/[-:]|\.\d+/g, '')
  return `${name}-${moment}.${extension}`
}
