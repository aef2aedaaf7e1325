// JSON as lines and coloured pieces. It reads the text and not its value: a decimal keeps all the digits that the server has sent.

export interface JsonPiece {
  readonly kind: 'space' | 'sign' | 'key' | 'text' | 'number' | 'word'
  readonly text: string
}

export interface JsonToken extends JsonPiece {
  readonly start: number
}

/** Yields the tokens of a text, right or wrong, without the space between them. */
export function* jsonTokens(json: string): Generator<JsonToken> {
  let start = 0
  while (start < json.length) {
    const first = json.charAt(start)
    const end = space.test(first) ? start : endOf(json, start, first)
    if (end > start) yield { kind: kindOf(json, first, end), text: json.slice(start, end), start }
    start = Math.max(end, start + 1)
  }
}

const space = /\s/
const signs = '{}[],:'

function endOf(json: string, start: number, first: string): number {
  if (signs.includes(first)) return start + 1
  if (first !== '"') {
    plain.lastIndex = start
    return plain.test(json) ? plain.lastIndex : start + 1
  }
  // Not by a regular expression, whose stack a text of megabytes would exceed.
  for (let at = start + 1; at < json.length; at++) {
    const letter = json[at]
    if (letter === '\\') at++
    else if (letter === '"') return at + 1
    else if (letter === '\n') return at
  }
  return json.length
}

const plain = /[^\s{}[\],:"]+/y

function kindOf(json: string, first: string, end: number): JsonPiece['kind'] {
  if (signs.includes(first)) return 'sign'
  if (first !== '"') return /[-\d]/.test(first) ? 'number' : 'word'
  behind.lastIndex = end
  return behind.test(json) ? 'key' : 'text'
}

const behind = /\s*:/y

/** Yields the lines of valid JSON with two spaces for each level, as they are wanted: a long text costs what is shown of it. */
export function* jsonLines(json: string): Generator<readonly JsonPiece[]> {
  let line: JsonPiece[] = []
  let depth = 0
  let before = ''
  const lineAt = (level: number): JsonPiece[] => [{ kind: 'space', text: '  '.repeat(level) }]
  for (const piece of jsonTokens(json)) {
    const { text } = piece
    const isClosing = text === '}' || text === ']'
    if (isClosing) depth--
    const isInside = before === '{' || before === '['
    if (before === ',' || (isInside ? !isClosing : isClosing)) {
      yield line
      line = lineAt(depth)
    }
    line.push(piece)
    if (text === ':') line.push({ kind: 'space', text: ' ' })
    if (text === '{' || text === '[') depth++
    before = piece.kind === 'sign' ? text : '"'
  }
  if (line.length > 0) yield line
}
