/** True for a word that only says a direction. */
export const isDirection = (word: unknown): boolean =>
  typeof word === 'string' && /^[-+]?(?:asc|desc)(?:ending)?$/i.test(word)

export const orderHint = 'Write ["-views", "title"]: a minus is for descending.'

/** A hint for a direction that is written behind the name of a field, as in `title desc`, or around it. */
export function directionHint(text: string): string | undefined {
  // Hostile names can be kilobytes long.
  if (text.length > longestName) return undefined
  if (isDirection(text)) return orderHint
  const [, name, behind] = /^[-+]?([^\s:()]+)(?:\s+|\s*:\s*|\.)(asc|desc)(?:ending)?$/i.exec(text) ?? []
  const [, before, inside] = /^(asc|desc)\(([^()]*)\)$/i.exec(text) ?? []
  const field = name ?? inside?.trim()
  const direction = behind ?? before
  if (!field || direction === undefined) return undefined
  return `Write "${direction.toLowerCase() === 'desc' ? '-' : ''}${field}": a minus is for descending.`
}

const longestName = 128
