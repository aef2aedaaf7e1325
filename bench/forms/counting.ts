// Counts statements at the driver, and tells them apart by a word.

/** The part of pg's connections by which statements are sent. */
interface Wire {
  parse(message: { readonly name?: string; readonly text: string }, ...more: unknown[]): unknown
  bind(message: { readonly statement?: string }, ...more: unknown[]): unknown
  query(text: string): unknown
  execute(...input: unknown[]): unknown
  sync(): unknown
}

/** Notes what a client sends: a round trip for each message after which the server says that it is ready. */
export function watch(client: object, sent: string[]): void {
  const { connection } = client as { readonly connection: Wire } // missing in the types of pg
  const { parse, bind, query, execute, sync } = connection
  const texts = new Map<string, string>()
  let bound = ''
  let trip: string[] = []
  Object.assign(connection, {
    parse: (message: Parameters<Wire['parse']>[0], ...more: unknown[]) => {
      texts.set(message.name ?? '', message.text)
      return parse.call(connection, message, ...more)
    },
    bind: (message: Parameters<Wire['bind']>[0], ...more: unknown[]) => {
      bound = texts.get(message.statement ?? '') ?? ''
      return bind.call(connection, message, ...more)
    },
    execute: (...input: unknown[]) => {
      trip.push(wordOf(bound))
      return execute.apply(connection, input)
    },
    sync: () => {
      if (trip.length > 0) sent.push(trip.join('+'))
      trip = []
      return sync.call(connection)
    },
    query: (text: string) => {
      sent.push(wordOf(text))
      return query.call(connection, text)
    },
  } satisfies Wire)
}

/** A statement in a word: what it does first. One that locks rows and answers them is a `lock`. */
export function wordOf(text: string): string {
  const statement = text.replace(/^\s*(?:\/\*.*?\*\/\s*)+/s, '').toLowerCase()
  const [word = ''] = /^[a-z]+/.exec(statement) ?? []
  if (word === 'rollback' && / to /.test(statement)) return 'undo'
  return word === 'select' && /\bfor (no key )?(update|share|key share)\b/.test(statement) ? 'lock' : word
}

const begins = /^(begin|commit|rollback|savepoint|release|undo)$/

/** The number of statements, without those that begin and end transactions and savepoints, and of round trips. */
export function countOf(does: string): {
  readonly statements: number
  readonly marks: number
  readonly trips: number
} {
  const words = does.split(/[ +]/)
  const marks = words.filter((word) => begins.test(word)).length
  return { statements: words.length - marks, marks, trips: does.split(' ').length }
}
