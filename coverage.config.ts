// Which branches of the compiler the tests reach. What only random tests reach, another run may not: they are left out.
import { defineConfig } from 'vitest/config'
import everything from './vitest.config.ts'

export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    include: [
      'test/{dialects,engine,errors,plan,prepared,query,rows,schema,sql,values,vocabulary}/*.test.ts',
      'test/types/families.test.ts',
      'test/conformance/*.test.ts',
      'test/access/{callers,explain-access,found,read-paths,rules,versions,visible-schema,write-paths,writes}.test.ts',
      'test/items/{far,keys-of-any,reports,rules-of-two-engines,streams,templates,wide}.test.ts',
      'test/property/{geometry,partitions,indexes,regressions,sql-shape}.test.ts',
      'test/versions/{install,overlay,verbs}.test.ts',
      'test/writes/{defaulted,hooks,transactions}.test.ts',
    ],
    coverage: {
      enabled: true,
      // The compiler: what is asked becomes SQL here, and nowhere else.
      include: ['src/{types,query,vocabulary,plan,sql,access}/**'],
      reporter: ['text', 'json'],
    },
  },
})
