// Markdown as it stands in the repository, made ready for a site: comments vanish, exported names are links, and files that are no pages are none.
import { existsSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress'
import { addressOf, exported, root } from './outline.ts'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/** Anchors as forges make them, so that a link leads to the same place in both. */
export const slugify = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** Pages are the markdown files that are not below another folder than docs. */
const isPage = (file: string): boolean => /^(?:docs\/(?!site\/).+|[^/]+)\.md$/.test(file)

export function readyMarkdown(md: MarkdownRenderer): void {
  md.core.ruler.push('ready', ({ tokens, env, Token }) => {
    const page = pathIn(env)
    const linked = (code: Token, place: string): Token[] => {
      const [open, close] = [new Token('link_open', 'a', 1), new Token('link_close', 'a', -1)]
      open.attrs = [
        ['class', 'name'],
        ['href', addressOf(place)],
      ]
      return [open, code, close]
    }
    for (const [at, token] of tokens.entries()) {
      if (token.type === 'html_block') token.content = withoutComments(token.content)
      if (!token.children) continue
      readyInline(token.children, page)
      if (tokens[at - 1]?.type !== 'heading_open') token.children = linkNames(token.children, page, linked)
    }
  })
  const { text: plain, code_inline: code } = md.renderer.rules
  // Vue would take two braces for an expression.
  md.renderer.rules.text = (...given) => (plain?.(...given) ?? '').replaceAll('{{', '&#123;&#123;')
  md.renderer.rules.code_inline = (...given) => (code?.(...given) ?? '').replace('<code', '<code v-pre')
}

export const withoutComments = (text: string): string => text.replace(/<!--[\s\S]*?-->\n?/g, '')

const pathIn = ({ path, realPath }: MarkdownEnv): string => posix.relative(root, realPath ?? path)

function readyInline(tokens: readonly Token[], page: string): void {
  let isNone = false
  for (const token of tokens) {
    if (token.type === 'html_inline') token.content = withoutComments(token.content)
    if (token.type === 'link_open') {
      readyLink(token, page)
      isNone = token.tag === 'span'
    }
    if (token.type === 'link_close' && isNone) token.tag = 'span'
  }
}

/** Puts links around names that are in none. */
function linkNames(
  tokens: readonly Token[],
  page: string,
  linked: (code: Token, place: string) => Token[],
): Token[] {
  let isLink = false
  return tokens.flatMap((token) => {
    if (token.type === 'link_open') isLink = true
    if (token.type === 'link_close') isLink = false
    const place = token.type === 'code_inline' && !isLink && placeOf(token.content, page)
    return place ? linked(token, place) : [token]
  })
}

/** Leads to the page of a markdown file. A file that is no page is only named: its repository has no address yet. */
function readyLink(token: Token, page: string): void {
  const href = token.attrGet('href') ?? ''
  const [path = '', anchor] = href.split('#')
  if (path === '' || /^\w+:/.test(path)) return
  const target = posix.join(posix.dirname(page), path)
  if (isPage(target)) token.attrSet('href', addressOf(target) + (anchor ? `#${anchor}` : ''))
  else if (existsSync(join(root, target))) Object.assign(token, { tag: 'span', attrs: null })
}

/** Section of the printed API for `listItems`, or for a call of it. Words like `json` are links as calls only. A page of an entry prefers that entry. */
function placeOf(code: string, page: string): string | undefined {
  const [, name = '', call] = /^(\w+)([(<].*)?$/.exec(code) ?? []
  if (!call && !/[A-Z]/.test(name)) return undefined
  const places = exported.get(name) ?? []
  return places.find((place) => place.startsWith(`docs/api/${basename(page)}#`)) ?? places[0]
}
