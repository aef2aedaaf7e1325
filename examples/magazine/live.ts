/** A page of comments that all its windows share: what one of them sends, the others show at once. */
export const live = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The Magazine, live</title>
<style>
  * { box-sizing: border-box }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
  h1 { line-height: 1.2; margin: 0; font-size: clamp(1.5rem, 7vw, 2rem) }
  main { display: grid; gap: 2rem }
  form { display: grid; gap: 1rem; align-content: start }
  label { display: grid; gap: .25rem; font-size: .875rem; color: #555 }
  select, textarea, button { font: inherit; width: 100%; min-width: 0; padding: .5rem; border: 1px solid #999; border-radius: .5rem; background: #fff; color: #222 }
  textarea { resize: vertical }
  button { background: #1d4e89; border-color: #1d4e89; color: #fff; cursor: pointer }
  output { min-height: 1.5em; color: #a32b3c }
  ol { list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem; align-content: start }
  li { padding: .75rem 1rem; border: 1px solid #ddd; border-radius: .5rem; overflow-wrap: anywhere }
  li.new { animation: come 1.5s }
  cite { display: block; color: #666; font-style: normal; font-size: .875rem }
  #state::before { content: '●'; margin-right: .5em; color: #999 }
  #state.live::before { color: #2f855a }
  @keyframes come { from { background: #fff3c4 } }
  @media (min-width: 48rem) { main { grid-template-columns: 18rem 1fr } }
  @media (prefers-reduced-motion: reduce) { li.new { animation: none } }
</style>
<h1>The Magazine, live</h1>
<p>Open this page in two windows: what one of them sends, the other shows. <span id="state" role="status">connecting</span></p>
<main>
  <form>
    <label>As <select name="who">
      <option value="ada">Ada Lovelace</option>
      <option value="grace">Grace Hopper</option>
      <option value="">a visitor, who may only read</option>
    </select></label>
    <label>On <select name="article" required></select></label>
    <label>Comment <textarea name="body" rows="3" maxlength="500" required></textarea></label>
    <button>Send</button>
    <output></output>
  </form>
  <ol aria-live="polite"></ol>
</main>
<script type="module">
  const [form, list, state] = ['form', 'ol', '#state'].map((name) => document.querySelector(name))
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text })
  const tell = (text) => Object.assign(state, { textContent: text, className: text === 'live' ? 'live' : '' })

  /** Keeps the items of a list, by id, and shows them after each message. */
  function watch(path, show) {
    let items = new Map()
    const events = new EventSource('/api/live/' + path)
    const on = (kind, hear) => events.addEventListener(kind, ({ data }) => { hear(JSON.parse(data)); show(items, kind) })
    on('snapshot', (list) => { items = new Map(list.ids.map((id, at) => [id, list.items[at]])) })
    on('changes', ({ set, removed, order }) => {
      for (const id of removed) items.delete(id)
      for (const { id, item } of set) items.set(id, item)
      if (order) items = new Map(order.map((id) => [id, items.get(id)]))
    })
    events.addEventListener('failed', ({ data }) => { events.close(); tell(JSON.parse(data).errors[0].message) })
    events.onopen = () => tell('live')
    events.onerror = () => tell(events.readyState === EventSource.CLOSED ? 'not connected' : 'coming back')
  }

  const shown = new Map()
  watch('comments?fields=body,author.name,article.title&sort=-id&limit=50', (comments, kind) => {
    for (const [id, item] of shown) if (!comments.has(id)) { item.remove(); shown.delete(id) }
    let next = list.firstElementChild
    for (const [id, { body, author, article }] of comments) {
      const known = shown.get(id)
      const item = known ?? Object.assign(document.createElement('li'), { className: kind === 'changes' ? 'new' : '' })
      item.replaceChildren(element('span', body), element('cite', (author?.name ?? 'anonymous') + ' on ' + article.title))
      shown.set(id, item)
      // What stands where it should is not moved, and so not told again.
      if (item === next) next = next.nextElementSibling
      else list.insertBefore(item, next)
    }
  })

  // Once: over HTTP/1.1 a browser has six connections to a server, and each stream takes one.
  const { data } = await (await fetch('/api/items/articles?fields=id,title&filter[status]=published&sort=title')).json()
  form.article.replaceChildren(...data.map(({ id, title }) => new Option(title, id)))

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const { who, article, body } = Object.fromEntries(new FormData(form))
    const response = await fetch('/api/items/comments', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(who && { authorization: 'Bearer ' + who }) },
      body: JSON.stringify({ article: Number(article), body }),
    })
    form.querySelector('output').textContent = response.ok ? '' : (await response.json()).errors[0].message
    if (response.ok) form.body.value = ''
  })
</script>
`
