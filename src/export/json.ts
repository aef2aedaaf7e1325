import type { Writer } from './writer.ts'

export const jsonWriter = (): Writer => ({
  begin: '[',
  item: (item, index) => `${index === 0 ? '' : ',\n'}${JSON.stringify(item)}`,
  end: () => ']\n',
})

export const ndjsonWriter = (): Writer => ({
  begin: '',
  item: (item) => `${JSON.stringify(item)}\n`,
  end: () => '',
})
