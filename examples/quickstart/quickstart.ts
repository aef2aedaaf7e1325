// No server at all: the functions that every handler is made of.
import { createEngine, createItem, deleteByQuery, listItems, updateItem } from 'quernel'
import { openMagazine } from '../magazine/database.ts'
import { schema } from '../magazine/schema.ts'

const db = await openMagazine()
const engine = createEngine({ db, schema })

const { id } = await createItem(
  engine,
  'articles',
  { title: 'Tea, and How to Wait', author: { name: 'Bo Ek' }, comments: [{ body: 'Three minutes.' }] },
  { fields: ['id'] },
)
await updateItem(engine, 'articles', id, { status: 'published', views: 3 })

const { data } = await listItems(engine, 'articles', {
  fields: ['title', 'author.name', 'count(comments)'],
  filter: { status: 'published' },
  sort: '-views',
})
for (const { title, author, comments_count } of data)
  console.log(`${title}, by ${author?.name ?? 'nobody'}: ${comments_count} comments`)

const { deleted } = await deleteByQuery(engine, 'articles', { filter: { status: 'draft' } })
console.log(`${deleted} drafts are gone.`)
await db.destroy()
