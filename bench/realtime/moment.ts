// Moments that two processes of a machine can compare, as whole numbers of 32 bits.

export const moment = (): number => Date.now() % 1_000_000_000
