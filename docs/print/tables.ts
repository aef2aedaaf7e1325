// How the printed pages are written.

export type Row = readonly string[]

export function table(head: Row, rows: readonly Row[]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  )
  const line = (cells: Row, fill: string) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |\n`
  return [
    line(head, ' '),
    line(
      head.map(() => ''),
      '-',
    ),
    ...rows.map((cells) => line(cells, ' ')),
  ].join('')
}

export const code = (word: string): string => `\`${word}\``

export const list = (sentences: readonly string[]): string => sentences.map((one) => `- ${one}\n`).join('')
