// Names of collections and fields: those of tables and columns, if a schema can hold them.
import { poisonousNames, wrongName } from '../schema/forbidden-names.ts'

/** Something that needs a name. */
export interface Nameless {
  readonly own: string
  /** Name that the host wants for it. */
  readonly wish: string | undefined
}

interface NameInput {
  readonly name: string
  /** Reason why it is not the wanted name, or not its own. */
  readonly because?: string
}

/** Names everything, those that are given first before others of the same name. Each keeps its own name if it can, so that no name depends on those that have to change. */
export function giveNames(all: readonly Nameless[]): readonly NameInput[] {
  const input = new Map<Nameless, NameInput>()
  const taken = new Set<string>()
  const give = (one: Nameless, name: string, because?: string) => {
    taken.add(name)
    input.set(one, because === undefined ? { name } : { name, because })
  }
  const wishes = all.filter(({ own, wish }) => wish !== undefined && wish !== own)
  const others = all.filter((one) => !wishes.includes(one))
  for (const one of others) if (wrongName(one.own) === undefined && !taken.has(one.own)) give(one, one.own)
  const refused = new Map<Nameless, string>()
  for (const one of wishes) {
    const { wish = '' } = one
    const wrong = wrongName(wish) ?? (taken.has(wish) ? 'is taken' : undefined)
    if (wrong === undefined) give(one, wish)
    else refused.set(one, wrong)
  }
  for (const one of all) {
    if (input.has(one)) continue
    const because = refused.get(one) ?? wrongName(one.own) ?? 'is taken'
    give(one, freeName(fitName(one.own), taken), because)
  }
  return all.map((one) => input.get(one) ?? { name: one.own })
}

/** Returns the name itself, or with a number appended. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number++) free = `${name}_${number}`
  return free
}

/** Returns the nearest name that a schema can hold. */
export function fitName(name: string): string {
  if (wrongName(name) === undefined) return name
  const plain = name
    .replace(/[.,():*\p{Cc}\p{Cs}]/gu, '_')
    .replace(/^[\s_$-]+/, '')
    .trimEnd()
  const fit = shortened(plain) || 'unnamed'
  return poisonousNames.has(fit) ? `${fit}_` : fit
}

/** Shortens a name to leave room for a number: the maximum is 255 bytes. */
function shortened(name: string): string {
  let length = 0
  let text = ''
  for (const letter of name) {
    length += Buffer.byteLength(letter)
    if (length > 240) break
    text += letter
  }
  return text.trim()
}
