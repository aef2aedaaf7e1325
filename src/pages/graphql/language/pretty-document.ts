// A document in an even form, with its comments. It works on words and signs: what a server would refuse can be made even, too.
import type { TextProblem } from '../../kit/json-problem.ts'
import { closings, type TokenNode, tokenGroups } from './token-groups.ts'

/** Returns the document in an even form, or what keeps it from that: brackets and texts that are not closed. */
export function prettyDocument(document: string): string | TextProblem {
  const nodes = tokenGroups(document)
  if ('message' in nodes) return nodes
  const definitions = parts(nodes, beginsDefinition)
  return definitions.map((one) => statement(one, '')).reduce(joinDefinitions(definitions), '')
}

/** Comments stay above their definition; definitions stand apart. */
const joinDefinitions =
  (definitions: readonly (readonly TokenNode[])[]) =>
  (before: string, text: string, index: number): string =>
    `${before}${index > 0 && definitions[index - 1]?.[0]?.kind !== 'comment' ? '\n' : ''}${text}\n`

/** Cuts nodes before each one that begins something. */
function parts(nodes: readonly TokenNode[], begins: (at: number, all: readonly TokenNode[]) => boolean) {
  const found: TokenNode[][] = []
  for (const [index, node] of nodes.entries()) {
    if (found.length === 0 || begins(index, nodes)) found.push([])
    found.at(-1)?.push(node)
  }
  return found
}

const isBlock = (node: TokenNode | undefined): boolean => node?.kind === 'group' && node.text === '{'

const beginsDefinition = (at: number, all: readonly TokenNode[]): boolean =>
  all[at]?.kind !== 'remark' &&
  (all[at]?.kind === 'comment' || isComment(all[at - 1]) || isBlock(all[at - 1]))

/** True for a comment, after which a new line begins. */
const isComment = (node: TokenNode | undefined): boolean =>
  node?.kind === 'comment' || node?.kind === 'remark'

/** A field begins with a name that belongs to nothing before it, or with three dots. */
function beginsField(at: number, all: readonly TokenNode[]): boolean {
  const [node, before, earlier] = [all[at], all[at - 1], all[at - 2]]
  if (node?.kind === 'comment' || isComment(before) || node?.text === '...') return true
  if (node?.kind !== 'name' || before?.text === ':' || before?.text === '...') return false
  return before?.text !== 'on' || earlier?.text !== '...'
}

/** A definition or a field, with what is selected in it. */
function statement(nodes: readonly TokenNode[], indent: string): string {
  return nodes.reduce((line, node, index) => {
    const text = isBlock(node) ? block(node, indent) : value(node, indent, line.length)
    return `${line}${gapBetween(nodes[index - 1], node)}${text}`
  }, indent)
}

function gapBetween(before: TokenNode | undefined, node: TokenNode): string {
  if (!before || node.text === ':' || node.text === '!') return ''
  if (before.text === '...') return node.kind === 'name' && node.text !== 'on' ? '' : ' '
  if (node.kind === 'group' && node.text === '(')
    return /^(query|mutation|subscription)$/.test(before.text) ? ' ' : ''
  return ' '
}

function block(node: TokenNode, indent: string): string {
  if (node.kind !== 'group') return node.text
  const deeper = `${indent}  `
  const fields = parts(node.inside, beginsField).map((one) => statement(one, deeper))
  return fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n${indent}}`
}

/** A value, or arguments: in one line if they fit, else each in a line of its own. */
function value(node: TokenNode, indent: string, column: number): string {
  if (node.kind !== 'group') return node.text
  const flat = flatText(node)
  if (!flat.includes('\n') && !flat.includes('#') && column + flat.length <= lineWidth) return flat
  const deeper = `${indent}  `
  const entries = parts(node.inside, beginsEntry).map((one) =>
    one.reduce(
      (line, part, index) => `${line}${gapInside(one[index - 1], part)}${value(part, deeper, line.length)}`,
      deeper,
    ),
  )
  return `${node.text}\n${entries.join('\n')}\n${indent}${closings[node.text]}`
}

const lineWidth = 80

function flatText(node: TokenNode): string {
  if (node.kind !== 'group') return node.text
  const entries = parts(node.inside, beginsEntry).map((one) =>
    one.reduce((line, part, index) => `${line}${gapInside(one[index - 1], part)}${flatText(part)}`, ''),
  )
  const space = node.text === '{' && entries.length > 0 ? ' ' : ''
  return `${node.text}${space}${entries.join(', ')}${space}${closings[node.text]}`
}

/** An entry is a name with its value, a variable with its type, or an element of a list. */
function beginsEntry(at: number, all: readonly TokenNode[]): boolean {
  const [node, before, next] = [all[at], all[at - 1], all[at + 1]]
  if (node?.kind === 'comment' || isComment(before) || next?.text === ':') return true
  const isInList = !all.some(({ text }) => text === ':')
  return isInList && node?.text !== '!' && node?.kind !== 'directive' && node?.kind !== 'remark'
}

function gapInside(before: TokenNode | undefined, node: TokenNode): string {
  if (!before || node.text === ':' || node.text === '!') return ''
  return node.kind === 'group' && node.text === '(' ? '' : ' '
}
