// Which branches of the compiler the tests reach. What only random tests reach, another run may not: they are left out.
import { defineConfig } from 'vitest/config'
import everything from './all.config.ts'

export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    include: [
      'test/{dialects,engine,errors,plan,prepared,query,rows,schema,sql,values,vocabulary}/**/*.test.ts',
      'test/types/{columns,families,tuple}.test.ts',
      'test/conformance/*.test.ts',
      'test/access/{callers,error-disclosure,explain-access,found,interleaved-writes,keys,read-paths,rules,versions,versions-apart,versions-kept,visible-schema,write-paths,writes}.test.ts',
      'test/http/openapi-*.test.ts',
      'test/introspect/{catalogue,postgres,schema,sqlite}.test.ts',
      'test/items/{bytes-as-text,create,deep-pages,delete,get,list,many-mistakes,many-relations,nested-keys,nested-rows,query-reports,references-to-any,rules-of-two-engines,selection-trees,singleton,stream,templates,update,upsert}.test.ts',
      'test/property/{further-branches,geometry,partitions,indexes,regressions,sql-shape}.test.ts',
      'test/versions/{install,overlay,verbs}.test.ts',
      'test/writes/{composite-keys,defaulted,hooks,isolation,moments-as-keys,read-back,sequential-keys,transactions,trees,unique-keys,wide-integers}.test.ts',
    ],
    coverage: {
      enabled: true,
      // The compiler: what is asked becomes SQL here, and nowhere else.
      include: ['src/{types,query,vocabulary,plan,sql,access}/**'],
      reporter: ['text', 'json'],
    },
  },
})
