/** A page that shows the pictures of the magazine, as the API serves them to a visitor. */
export const gallery = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The Magazine in pictures</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem }
  main { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1.5rem }
  figure { margin: 0 }
  img { width: 100%; aspect-ratio: 3 / 2; object-fit: cover; border-radius: .5rem; display: block }
</style>
<h1>The Magazine in pictures</h1>
<main></main>
<script type="module">
  const query = 'fields=title,author.name,image.id&filter[image][_nnull]=true&sort=title'
  const { data } = await (await fetch('/api/items/articles?' + query)).json()
  for (const { title, author, image } of data) {
    const figure = document.createElement('figure')
    const src = '/api/assets/' + image.id + '?width=600&height=400&format=auto'
    const picture = Object.assign(new Image(600, 400), { src, alt: title, loading: 'lazy' })
    const caption = document.createElement('figcaption')
    caption.textContent = title + ' · ' + (author?.name ?? 'anonymous')
    figure.append(picture, caption)
    document.querySelector('main').append(figure)
  }
</script>
`
