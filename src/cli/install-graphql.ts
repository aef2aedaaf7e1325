/** The sentence that says how to get the package `graphql`, which the command finds beside itself only. */
export const installGraphQL = 'Install it beside the command: npm install quernel graphql'
