// Values of form fields. Forms hold nothing but texts.
import { type Field, isToMany } from '../schema/model.ts'
import { familyRow } from '../types/families.ts'

/** Returns the value of a field; unknown fields are refused later, whatever their value. */
export function formValue(field: Field | undefined, text: string): unknown {
  if (!field) return text
  if (text.trim() === 'null') return null
  const family = isToMany(field) ? 'json' : field.value.family
  const { form } = familyRow(family)
  return form ? form.read(text) : text
}
