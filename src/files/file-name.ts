// Names of files as they are given: never a path, and no invisible characters.

const longest = 200

/** Returns a name that is safe on any disk and in any header.
 *  @example fileNameOf('C:\\photos\\Ada.png') // 'Ada.png' */
export function safeFileName(input: string): string {
  const last = input.toWellFormed().normalize().split(/[/\\]/).at(-1) ?? ''
  const clean = last.replace(unseen, '').replace(/\s+/gu, ' ').trim()
  const named = /^\.*$/.test(clean) ? 'file' : clean
  return shortened([...named])
}

/** Control characters, direction marks, line breaks and unassigned characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu

/** Shortens a name. Its extension stays. */
function shortened(characters: readonly string[]): string {
  if (characters.length <= longest) return characters.join('')
  const end = /\.[a-z0-9]{1,8}$/i.exec(characters.slice(-9).join(''))?.[0] ?? ''
  return characters.slice(0, longest - end.length).join('') + end
}

/** Returns a title made from a file name: `harbour-at_night.jpg` is "Harbour at night".
 *  @example titleOf('harbour-at_night.jpg') // 'Harbour at night' */
export function titleOf(filename: string): string {
  const words = filename
    .replace(/(?<=.)\.[a-z0-9]{1,8}$/i, '')
    .replace(/[_-]+/g, ' ')
    .trim()
  const [first = '', ...rest] = words === '' ? filename : words
  return first.toUpperCase() + rest.join('')
}
