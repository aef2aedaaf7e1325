// The place of the cursor in a document, and so what may be written there.
import { definitionsOf } from './definitions.ts'
import { type DocumentToken, documentTokens, isOpenText } from './document-tokens.ts'
import type { KnownSchema } from './known-schema.ts'
import { type DocumentLevel, nothing, type Place, wholeDocument } from './levels.ts'

interface PlaceInDocument {
  readonly place: Place
  /** The part of a word that stands before the cursor. */
  readonly prefix: string
  /** Range of the whole word. */
  readonly start: number
  readonly end: number
}

/** Returns the place of the cursor in a document, which may be unfinished or wrong everywhere else. */
export function placeIn(document: string, cursor: number, schema: KnownSchema | undefined): PlaceInDocument {
  const tokens = documentTokens(document)
  const under = tokens.find(({ start, end }) => start < cursor && cursor <= end)
  if (under && isClosed(under, cursor)) return { place: nothing, prefix: '', start: cursor, end: cursor }
  const word = under && isWord(under) ? under : undefined
  const { start, end } = word ?? { start: cursor, end: cursor }
  const from = definitionsOf(document).findLast((one) => one.start < start)?.start ?? 0
  const before = tokens.filter((one) => one.kind !== 'comment' && one.start >= from && one.end <= start)
  return {
    place: innermost(before, schema).place(word?.kind),
    prefix: document.slice(start, cursor),
    start,
    end,
  }
}

/** True inside of a comment, a number or a text, where nothing is completed. */
const isClosed = (token: DocumentToken, cursor: number): boolean =>
  token.kind === 'comment' ||
  token.kind === 'number' ||
  (token.kind === 'text' && (cursor < token.end || isOpenText(token)))

const isWord = ({ kind }: DocumentToken): boolean =>
  kind === 'name' || kind === 'variable' || kind === 'directive'

/** Returns the level that is open behind the tokens. */
function innermost(tokens: readonly DocumentToken[], schema: KnownSchema | undefined): DocumentLevel {
  const outermost = wholeDocument(schema)
  const open: DocumentLevel[] = []
  for (const token of tokens) {
    if (isClosing(token)) close(open, token.text)
    else take(open, outermost, token)
  }
  return open.at(-1) ?? outermost
}

const isClosing = ({ text }: DocumentToken): boolean => text === ')' || text === ']' || text === '}'

/** Leaves the innermost level that the sign closes. A selection is left by its own sign alone. */
function close(open: DocumentLevel[], sign: string): void {
  const index = open.findLastIndex(({ closing }) => closing === sign)
  const isInside = open.slice(index + 1).every(({ isSelection }) => !isSelection)
  if (index >= 0 && isInside) open.length = index
}

function take(open: DocumentLevel[], outermost: DocumentLevel, token: DocumentToken): void {
  const entered = (open.at(-1) ?? outermost).take(token)
  if (entered === 'refused') {
    // Brackets that are not closed: the sign belongs to what is around them.
    open.pop()
    take(open, outermost, token)
  } else if (entered) open.push(entered)
}
