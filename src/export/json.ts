import type { FileWriter } from './writer.ts'

export const jsonWriter = (): FileWriter => ({
  begin: '[',
  item: (item, index) => `${index === 0 ? '' : ',\n'}${JSON.stringify(item)}`,
  end: () => ']\n',
})

export const ndjsonWriter = (): FileWriter => ({
  begin: '',
  item: (item) => `${JSON.stringify(item)}\n`,
  end: () => '',
})
