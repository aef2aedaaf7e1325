import { type Path, quote } from '../../errors/errors.ts'
import type { Checking } from './check-context.ts'

/** Words for rights that need no name. */
const accessWords: readonly string[] = ['caller', 'author', 'full', 'nobody']

/** Checks a word for rights. */
export function checkAccessWord(
  word: unknown,
  path: Path,
  {
    add,
    hasAccess,
    hasAuthors,
    hasCaller,
    limits,
  }: Pick<Checking, 'add' | 'hasAccess' | 'hasAuthors' | 'hasCaller' | 'limits'>,
): string {
  if (typeof word !== 'string' || word === '') {
    add(
      path,
      `"access" is one of ${accessWords.map(quote).join(', ')} or a name that the host knows, not ${quote(word)}.`,
    )
    return 'nobody'
  }
  if (limits && !limits.access.includes(word))
    add(
      path,
      `A flow of this collection may not have the access ${quote(word)}.`,
      () => `Allowed: ${limits.access.join(', ')}.`,
    )
  else if (word === 'caller' && !hasCaller)
    add(path, 'Nobody is known who starts this flow, so it has no caller.', 'With no rights: "nobody".')
  else if (!limits && !hasAuthors && word === 'author')
    add(path, 'A flow of the host has no author.', 'Only the rows of a collection have one.')
  else if (hasAccess === false && (word === 'author' || !accessWords.includes(word)))
    add(
      path,
      `The rights ${quote(word)} are not known.`,
      'Give createFlows "access", which says what they are.',
    )
  return word
}
