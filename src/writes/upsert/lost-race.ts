/** Ends an attempt of an upsert: others have written meanwhile what it found, or found missing. All of it is undone, and tried again. */
export class LostRace extends Error {}
