// Checks how the runs of a flow follow each other, how often an operation is repeated that has failed, and with whose rights they work.
import { type Path, quote } from '../../errors/errors.ts'
import { isRecord } from '../../values/guards.ts'
import { type CompiledValue, compileText } from '../chain/compile-value.ts'
import { longestDelayMs, mostRetries, type Retry } from '../run/retry.ts'
import { type Checking, checkNames } from './check-context.ts'

const members = ['times', 'delayMs'] as const

/** Reads `retry`. What it does not say is as it is around it. */
export function checkRetry(written: unknown, path: Path, around: Retry, add: Checking['add']): Retry {
  if (written === undefined) return around
  if (!isRecord(written)) {
    add(path, `"retry" is an object such as { "times": 3, "delayMs": 1000 }, not ${quote(written)}.`)
    return around
  }
  checkNames(written, members, { path, says: '"retry" has no' }, { add })
  const numberOf = (name: keyof Retry, from: number, to: number) => {
    const value = written[name] ?? around[name]
    if (typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to) return value
    add([...path, name], `"${name}" is a whole number from ${from} to ${to}, not ${quote(value)}.`)
    return around[name]
  }
  return { times: numberOf('times', 0, mostRetries), delayMs: numberOf('delayMs', 1, longestDelayMs) }
}

const roots: readonly string[] = ['$trigger', '$accountability']

export function checkLane(lane: unknown, { add, found }: Checking): CompiledValue | undefined {
  if (lane === undefined) return undefined
  if (typeof lane !== 'string' || lane === '')
    return add(['lane'], `A lane is a text such as "{{ $trigger.key }}", not ${quote(lane)}.`)
  return compileText(lane, ['lane'], 'any', {
    report: add,
    onSlot: ({ place: { root } }) => {
      if (root === '$accountability') found.namesCaller = true
      if (!roots.includes(root))
        add(
          ['lane'],
          `A lane is known before anything has run, so it names no ${quote(root)}.`,
          () => `Known here: ${roots.join(', ')}.`,
        )
    },
  })
}

/** Words for rights that need no name. */
const accessWords: readonly string[] = ['caller', 'author', 'full', 'nobody']

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
    add(
      path,
      'This flow is started without a caller, so it cannot have the rights of one.',
      'Without any rights: "nobody".',
    )
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
