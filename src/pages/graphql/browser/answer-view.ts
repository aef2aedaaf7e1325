// The answer, in colours. A large one is shown in parts: its first lines at once, the next ones when they are wanted.

import { button, element, fill } from '../../kit/elements.ts'
import { type JsonPiece, jsonLines } from '../../kit/json-pieces.ts'
import type { ReceivedAnswer } from './send.ts'

/** Lines that are shown at once. */
const portion = 1_000
/** Characters of one text that are shown. */
const longest = 5_000

/** Shows an answer in an element. */
export function showAnswer(host: HTMLElement, { text, isJson }: ReceivedAnswer): void {
  if (!isJson) {
    fill(host, element('pre', {}, cut(text)))
    return
  }
  const shown = element('pre', { class: 'json' })
  const lines = jsonLines(text)
  const more = button(`Show ${portion.toLocaleString()} more lines`, {}, () => add())
  const add = (): void => {
    for (let count = 0; count < portion; count++) {
      const { value, done } = lines.next()
      if (done) {
        more.remove()
        return
      }
      shown.append(...value.map(piece), '\n')
    }
    host.append(more)
  }
  fill(host, shown)
  add()
}

/** Returns an answer as it is shown, all of it. */
export const answerText = ({ text, isJson }: ReceivedAnswer): string =>
  isJson ? [...jsonLines(text)].map((line) => line.map((one) => one.text).join('')).join('\n') : text

const piece = ({ kind, text }: JsonPiece): Node =>
  kind === 'space' || kind === 'sign'
    ? document.createTextNode(text)
    : element('span', { class: kind }, cut(text))

const cut = (text: string): string =>
  text.length > longest
    ? `${text.slice(0, longest)}… (${(text.length - longest).toLocaleString()} more)`
    : text

/** Returns how an answer came: its status, its time and its size. */
export const answerFacts = ({ status, milliseconds, bytes }: ReceivedAnswer): string =>
  `${status} · ${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms · ${sizeText(bytes)}`

const sizeText = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} bytes`
    : bytes < 1e6
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`
