// Which branches of the compiler the tests reach. What only random tests reach, another run may not: they are left out.
import { defineConfig } from 'vitest/config'
import everything from './all.config.ts'

export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    include: [
      'test/{dialects,engine,errors,plan,prepared,query,rows,schema,sql,values,vocabulary}/**/*.test.ts',
      'test/conformance/*.test.ts',
      'test/access/{caller-scope,found,interleaved-writes,keys,read-paths,rules,versions,versions-apart,versions-kept,visible-schema,write-paths,writes}.test.ts',
      'test/execution/transaction.test.ts',
      'test/http/openapi.test.ts',
      'test/http/openapi/*.test.ts',
      'test/introspect/{introspect-schema,read-catalogue}.test.ts',
      'test/introspect/introspect-schema/{postgres,sqlite}.test.ts',
      'test/items/{create,delete,get,list,singleton,stream,update,upsert}.test.ts',
      'test/items/read/{bytes-as-text,deep-pages,explain-access,many-mistakes,many-relations,nested-keys,nested-rows,query-reports,read-back,references-to-any,rules-of-two-engines,selection-trees,templates}.test.ts',
      'test/property/{geometry,indexes,partitions,regressions,sql-shape}.test.ts',
      'test/types/{columns,families,tuple}.test.ts',
      'test/versions/{install,overlay,verbs}.test.ts',
      'test/writes/authorize/error-disclosure.test.ts',
      'test/writes/{composite-keys,defaulted,hooks,moments-as-keys,unique-keys,wide-integers}.test.ts',
      'test/writes/delete/trees.test.ts',
      'test/writes/insert/sequential-keys.test.ts',
      'test/writes/locks/isolation.test.ts',
    ],
    coverage: {
      enabled: true,
      // The compiler: what is asked becomes SQL here, and nowhere else.
      include: ['src/{types,query,vocabulary,plan,sql,access}/**'],
      reporter: ['text', 'json'],
    },
  },
})
