/** What a server says when it listens. */
export function welcome(name: string, port: number): void {
  const api = `http://localhost:${port}/api`
  console.log(`The magazine listens on ${api}/items, served by ${name}, and its pictures are on http://localhost:${port}. Try:

  curl '${api}/items/articles?fields=title,author.name,tags.tag.name&sort=-views&limit=2'
  curl -g '${api}/items/articles?filter[author][name][_icontains]=HOPPER&meta=*' -H 'Authorization: Bearer grace'
  curl '${api}/items/articles' -H 'Authorization: Bearer ada' -H 'Content-Type: application/json' -d '{"title":"New","comments":[{"body":"First!"}]}'

In a browser, ${api}/graphql is a page to write GraphQL with; the token "grace" shows it her drafts.
Open http://localhost:${port}/live in two windows: what one of them sends, the other shows.

More:

  curl -g '${api}/items/articles?groupBy=year(published_at)&aggregate[count]=*&aggregate[sum]=views'
  curl -g '${api}/items/authors?fields=name,articles.title&deep[articles][_sort]=-views&deep[articles][_limit]=1'
  curl '${api}/items/articles?fields=id,title,author.name&export=csv'
  curl '${api}/items/site'
  curl '${api}/files?fields=title,width,height,filesize'
  curl '${api}/files' -H 'Authorization: Bearer ada' -F 'title=A photo' -F 'file=@photo.jpg'
  curl '${api}/graphql' -H 'Content-Type: application/json' -d '{"query":"{ articles(limit: 2) { title author { name } } }"}'
  curl '${api}/graphql/schema'
  curl 'http://localhost:${port}/openapi.json'
  curl -g '${api}/items/articles?filter[titel]=x'

Stop it with Ctrl+C.`)
}

/** Where to listen: on this machine alone, unless HOST is an address that others reach, and at PORT or 3000. */
export const placeFrom = ({ HOST, PORT }: NodeJS.ProcessEnv): { host: string; port: number } => ({
  host: HOST || '127.0.0.1',
  port: Number(PORT || 3000),
})
