// What is run before every commit: the language, the verbs and the rules, on every database, in about a minute.
import { defineConfig } from 'vitest/config'
import everything from './vitest.config.ts'

export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    include: [
      'test/architecture.test.ts',
      'test/{dialects,engine,errors,plan,prepared,query,rows,schema,sql,values,vocabulary}/**/*.test.ts',
      'test/types/families.test.ts',
      'test/conformance/filters.test.ts',
      'test/items/{create,update,delete,singleton}.test.ts',
      'test/access/{callers,rules,versions,visible-schema,writes}.test.ts',
      'test/writes/{concurrent-writes,hooks,transactions,trees}.test.ts',
      'test/versions/{install,overlay,verbs}.test.ts',
      'test/http/{items,errors,versions}.test.ts',
    ],
  },
})
