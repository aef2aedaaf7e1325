// A list in a browser that shows each edit before the server has stored it, over the routes of an API.
import { defineSchema, type Filter, matchesFilter, parseQuery } from '../../../src/filter.ts'

export const schema = defineSchema({
  people: { fields: { id: { type: 'integer', key: true }, name: { type: 'string' } } },
  tasks: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      done: { type: 'boolean' },
      due: { type: 'date', nullable: true },
      owner: { type: 'm2o', to: 'people', nullable: true },
    },
  },
})

interface Task {
  readonly id: number
  readonly title: string
  readonly done: boolean
  readonly due: string | null
  readonly owner: { readonly id: number; readonly name: string } | null
}

const ada = { id: 1, name: 'Ada' }
const bo = { id: 2, name: 'Bo' }

const shown = 'filter[done]=false&filter[owner][name][_icontains]=ADA&filter[due][_lt]=2026-06-01'

/** The edits, and what each of them does to the list. */
export const edits: readonly {
  readonly title: string
  readonly id: number
  readonly change: Partial<Task>
}[] = [
  { title: 'stays where it is', id: 1, change: { title: 'Bake bread' } },
  { title: 'goes, because it is done', id: 1, change: { done: true } },
  { title: 'comes back', id: 1, change: { done: false } },
  { title: 'goes with its owner', id: 2, change: { owner: bo } },
  { title: 'comes from another owner', id: 3, change: { owner: ada } },
  { title: 'goes, because nobody owns it', id: 3, change: { owner: null } },
  { title: 'goes, because it is due later', id: 1, change: { due: '2026-06-01' } },
  { title: 'goes, because it is due at no time', id: 1, change: { due: null } },
  { title: 'comes by a date', id: 1, change: { due: '2026-05-31' } },
]

/** The keys that the list shows after an edit, before the server has answered and after. */
export interface EditedList {
  readonly before: readonly number[]
  readonly after: readonly number[]
}

export async function editLists(): Promise<EditedList[]> {
  const { filter = {} } = parseQuery(shown)
  const lists: EditedList[] = []
  for (const { id, change } of edits) {
    const [list, task] = [await request<Task[]>(listed), await request<Task>(`${id}?${fields}`)]
    const before = withChange(list, { ...task, ...change }, filter)
    await request(String(id), { ...change, ...('owner' in change && { owner: change.owner?.id ?? null }) })
    lists.push({ before: before.map(keyOf), after: (await request<Task[]>(listed)).map(keyOf) })
  }
  return lists
}

/** The list as it will be once the server has stored the item. */
function withChange(list: readonly Task[], task: Task, filter: Filter<typeof schema, 'tasks'>): Task[] {
  const others = list.filter(({ id }) => id !== task.id)
  const all = matchesFilter({ schema }, 'tasks', filter, task) ? [...others, task] : others
  return all.sort((a, b) => a.id - b.id)
}

const keyOf = ({ id }: Task) => id
const fields = 'fields=*,owner.id,owner.name'
const listed = `?${fields}&sort=id&${shown}`

async function request<Data>(path: string, change?: object): Promise<Data> {
  const sent = change && {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  }
  const separator = path.startsWith('?') ? '' : '/'
  const response = await fetch(`/api/items/tasks${separator}${path}`, sent)
  const { data, errors }: { data: Data; errors?: unknown } = JSON.parse(await response.text())
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}
