/** The problem of the colon in `item:block_hero`, a many-to-any reference and its collection; undefined if
 *  there is none. */
export function scopeMistake(name: string): string | undefined {
  if (!name.includes(':')) return undefined
  const parts = name.split(':')
  return parts.length === 2 && parts.every((part) => part.trim()) ? undefined : 'write it as field:collection'
}
