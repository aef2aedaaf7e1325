// What the page of the browser test runs.
export { answers } from '../answers.ts'
export { editLists } from './optimistic-list.ts'
