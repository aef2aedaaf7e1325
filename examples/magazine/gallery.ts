/** A page that shows the pictures of the magazine, as the API serves them to a visitor. */
export const gallery = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The Magazine in pictures</title>
<style>
  h1 { line-height: 1.2 }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem }
  main { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1.5rem }
  figure { margin: 0 }
  img { width: 100%; height: auto; border-radius: .5rem; display: block }
  figcaption { margin-top: .5rem; line-height: 1.3 }
  cite { display: block; color: #666; font-style: normal; font-size: .875rem }
</style>
<h1>The Magazine in pictures</h1>
<p>From the API of the magazine: REST below <a href="/api/items/articles">/api/items</a>, as <a href="/openapi.json">OpenAPI</a> describes it,
and GraphQL on <a href="/api/graphql?query={articles{title}}">/api/graphql</a>, with <a href="/api/graphql/schema">its schema</a>. <a href="/live">Comments</a> come without a reload.</p>
<main></main>
<script type="module">
  const query = 'fields=title,author.name,image.id&filter[image][_nnull]=true&sort=title'
  const { data } = await (await fetch('/api/items/articles?' + query)).json()
  for (const { title, author, image } of data) {
    const figure = document.createElement('figure')
    const wide = (width) => '/api/assets/' + image.id + '?format=auto&width=' + width + '&height=' + (width * 2) / 3
    const srcset = wide(600) + ' 1x, ' + wide(1200) + ' 2x'
    const picture = Object.assign(new Image(600, 400), { srcset, src: wide(600), alt: title, loading: 'lazy' })
    const caption = document.createElement('figcaption')
    const name = document.createElement('cite')
    name.textContent = author?.name ?? 'anonymous'
    caption.append(title, name)
    figure.append(picture, caption)
    document.querySelector('main').append(figure)
  }
</script>
`
