// The words and signs of a document, right or wrong: an editor shows what is half written, too.

export type DocumentTokenKind =
  | 'name'
  | 'variable'
  | 'directive'
  | 'number'
  | 'text'
  | 'sign'
  | 'comment'
  | 'odd'
  /** In colours alone: a word of the language. */
  | 'word'

export interface DocumentToken {
  readonly kind: DocumentTokenKind
  readonly text: string
  /** Place of its first character. */
  readonly start: number
  /** Place behind its last character. */
  readonly end: number
}

/** Returns the tokens of a document, without the space between them. */
export function documentTokens(document: string): readonly DocumentToken[] {
  return [...document.matchAll(token)].flatMap(({ groups, 0: text, index }) => {
    const kind = kinds.find((one) => groups?.[one] !== undefined)
    return kind ? [{ kind, text, start: index, end: index + text.length }] : []
  })
}

const kinds = [
  'comment',
  'text',
  'variable',
  'directive',
  'name',
  'number',
  'sign',
  'odd',
] as const satisfies readonly DocumentTokenKind[]

/** A string that is not closed ends with its line, a block string with the document. */
const token = new RegExp(
  [
    /(?<comment>#.*)/,
    /(?<text>"""(?:\\"""|[\s\S])*?(?:"""|$)|"(?:\\.|[^"\\\n])*(?:"|\\?(?=\n|$)))/,
    /(?<variable>\$\w*)/,
    /(?<directive>@\w*)/,
    /(?<name>[A-Za-z_]\w*)/,
    /(?<number>-?\d[\w.+-]*)/,
    /(?<sign>\.{3}|[!&()=:[\]{}|])/,
    /[\s,\uFEFF]+/,
    /(?<odd>[\s\S])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)

/** True for a text without its closing quotes. */
export const isOpenText = ({ text }: DocumentToken): boolean =>
  !(text.startsWith('"""') ? /^"""(?:\\"""|(?!\\""")[\s\S])*?"""$/ : /^"(?:\\.|[^"\\])*"$/).test(text)

/** Returns the tokens in the colours of an editor: the words of the language are no names. */
export const documentColours = (document: string): readonly DocumentToken[] =>
  documentTokens(document).map((one) => (isKeyword(one) ? { ...one, kind: 'word' } : one))

const isKeyword = ({ kind, text }: DocumentToken): boolean =>
  kind === 'name' && /^(query|mutation|subscription|fragment|on|true|false|null)$/.test(text)
