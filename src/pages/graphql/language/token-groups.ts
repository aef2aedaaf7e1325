import type { TextProblem } from '../../kit/json-problem.ts'
import { type DocumentToken, documentTokens, isOpenText } from './document-tokens.ts'

interface TokenGroup {
  readonly kind: 'group'
  readonly text: string
  readonly start: number
  readonly inside: readonly TokenNode[]
  end: number
}

/** A comment behind something else in its line. */
interface Remark extends Pick<DocumentToken, 'text' | 'start' | 'end'> {
  readonly kind: 'remark'
}

export type TokenNode = DocumentToken | TokenGroup | Remark

/** Returns the tokens of a document with those in brackets as groups, or the first bracket or text that is not closed. */
export function tokenGroups(document: string): readonly TokenNode[] | TextProblem {
  const whole: TokenNode[] = []
  const open: { readonly group: TokenGroup; readonly inside: TokenNode[]; readonly sign: DocumentToken }[] =
    []
  for (const token of documentTokens(document)) {
    if (token.kind === 'text' && isOpenText(token))
      return { ...rangeOf(token), message: 'The text is not closed.' }
    const closing = closings[token.text]
    const inner = open.at(-1)
    const nodes = inner?.inside ?? whole
    if (token.kind === 'sign' && closing) {
      const inside: TokenNode[] = []
      const group: TokenGroup = {
        kind: 'group',
        text: token.text,
        start: token.start,
        inside,
        end: token.end,
      }
      nodes.push(group)
      open.push({ group, inside, sign: token })
    } else if (token.kind === 'sign' && ')]}'.includes(token.text)) {
      if (!inner || closings[inner.group.text] !== token.text)
        return { ...rangeOf(token), message: `"${token.text}" closes nothing here.` }
      inner.group.end = token.end
      open.pop()
    } else nodes.push(isRemark(document, token) ? { ...token, kind: 'remark' } : token)
  }
  const unclosed = open.at(-1)
  return unclosed ? { ...rangeOf(unclosed.sign), message: `"${unclosed.sign.text}" is not closed.` } : whole
}

const isRemark = (document: string, { kind, start }: DocumentToken): boolean =>
  kind === 'comment' && /\S/.test(document.slice(document.lastIndexOf('\n', start) + 1, start))

/** Closing signs by the opening ones. */
export const closings: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

const rangeOf = ({ start, end }: DocumentToken) => ({ start, end })
